//! Who speaks on a connection, and in which roles.

use std::fmt;

use sha2::{Digest, Sha256};

/// What a person may do. Stored and shown as the text of [`Role::as_str`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Employee,
    Manager,
    Executive,
    HrRead,
    HrWrite,
    FinanceRead,
    FinanceWrite,
    SalesRead,
    SalesWrite,
    SupportRead,
    SupportWrite,
    Clinical,
}

impl Role {
    pub const ALL: [Role; 12] = [
        Role::Employee,
        Role::Manager,
        Role::Executive,
        Role::HrRead,
        Role::HrWrite,
        Role::FinanceRead,
        Role::FinanceWrite,
        Role::SalesRead,
        Role::SalesWrite,
        Role::SupportRead,
        Role::SupportWrite,
        Role::Clinical,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Role::Employee => "employee",
            Role::Manager => "manager",
            Role::Executive => "executive",
            Role::HrRead => "hr-read",
            Role::HrWrite => "hr-write",
            Role::FinanceRead => "finance-read",
            Role::FinanceWrite => "finance-write",
            Role::SalesRead => "sales-read",
            Role::SalesWrite => "sales-write",
            Role::SupportRead => "support-read",
            Role::SupportWrite => "support-write",
            Role::Clinical => "clinical",
        }
    }

    pub fn parse(text: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The caller of a connection. Fixed when the connection is made, never taken from arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub user_id: String,
    pub name: String,
    pub email: String,
    pub roles: Vec<Role>,
    pub department: Option<String>,
    /// The employee of the HR data who this person is.
    pub employee_id: Option<String>,
    /// Whether the connection was started for this person (`--as`), rather than for the owner.
    pub pinned: bool,
}

impl Caller {
    pub fn has_any(&self, roles: &[Role]) -> bool {
        roles.iter().any(|role| self.roles.contains(role))
    }

    /// The UUID that stands for this person in the data: the employee's, or one made from the login.
    pub fn uuid(&self) -> String {
        self.employee_id.clone().unwrap_or_else(|| user_uuid(&self.user_id))
    }

    /// The roles held, in words.
    pub fn held(&self) -> String {
        match self.roles.as_slice() {
            [] => "no role".to_owned(),
            roles => roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", "),
        }
    }
}

/// What an executive may read without holding the roles one by one. Writing is not among it.
const READ_BY_EXECUTIVES: [Role; 4] = [Role::HrRead, Role::FinanceRead, Role::SalesRead, Role::SupportRead];

/// The roles that somebody has in effect: what was granted, and what follows from it.
pub fn effective(granted: impl IntoIterator<Item = Role>) -> Vec<Role> {
    let mut roles: Vec<Role> = granted.into_iter().collect();
    if roles.contains(&Role::Executive) {
        roles.extend(READ_BY_EXECUTIVES);
    }
    roles.sort_unstable();
    roles.dedup();
    roles
}

/// The UUID that stands for a login wherever a UUID is wanted.
pub fn user_uuid(login: &str) -> String {
    let digest = Sha256::new().chain_update("backoffice user ").chain_update(login).finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_executive_reads_everything_and_writes_nothing_by_that() {
        let roles = effective([Role::Executive, Role::Employee, Role::Executive]);
        let names: Vec<_> = roles.iter().map(|role| role.as_str()).collect();
        assert_eq!(names.join(" "), "employee executive hr-read finance-read sales-read support-read");
        assert_eq!(effective([Role::Manager]), [Role::Manager]);
    }

    #[test]
    fn a_login_has_one_uuid() {
        assert_eq!(user_uuid("marcus.johnson"), "ae824027-00f1-85c9-828e-6b07e9f9b46e");
        assert_ne!(user_uuid("marcus.johnson"), user_uuid("carol.johnson"));
    }

    #[test]
    fn role_names_read_back() {
        for role in Role::ALL {
            assert_eq!(Role::parse(role.as_str()), Some(role));
        }
        assert_eq!(Role::parse("hr_read"), None);
    }
}
