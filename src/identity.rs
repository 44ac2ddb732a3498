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
    pub roles: Vec<Role>,
    pub department: Option<String>,
    /// Whether the connection was started for this person (`--as`), rather than for the owner.
    pub pinned: bool,
}

impl Caller {
    pub fn has_any(&self, roles: &[Role]) -> bool {
        roles.iter().any(|role| self.roles.contains(role))
    }
}

/// The UUID that stands for a login wherever one is wanted. It follows from the login alone, so that
/// the same person has the same one in every file.
pub fn user_uuid(login: &str) -> String {
    let digest: [u8; 32] = Sha256::digest(format!("backoffice user {login}")).into();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

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
