//! What manifest files name: tolerant scans of their text, each to `source:package`.

use serde_json::Value;

/// The packages that a manifest names; an unknown or broken file names none.
pub fn packages(file: &str, text: &str) -> Vec<String> {
    let (source, names): (&str, Vec<String>) = match file {
        "package.json" => ("npm", keys(text, &["dependencies", "devDependencies", "peerDependencies"])),
        "composer.json" => ("composer", keys(text, &["require", "require-dev"])),
        "requirements.txt" | "requirements-dev.txt" => {
            ("pip", text.lines().filter_map(requirement).collect())
        }
        "pyproject.toml" | "Pipfile" => ("pip", pyproject(text)),
        "Cargo.toml" => ("cargo", sections(text, "dependencies")),
        "go.mod" => ("go", text.lines().filter_map(go_module).collect()),
        "Gemfile" => ("gem", text.lines().filter_map(gem).collect()),
        "pom.xml" => ("maven", between(text, "<artifactId>", "</artifactId>")),
        "build.gradle" | "build.gradle.kts" => ("maven", gradle(text)),
        "mix.exs" => ("hex", between(text, "{:", ",")),
        _ if file.ends_with(".csproj") => ("nuget", between(text, "PackageReference Include=\"", "\"")),
        _ if is_compose(file) => ("image", text.lines().filter_map(image).collect()),
        _ => return Vec::new(),
    };
    names.into_iter().map(|name| format!("{source}:{name}")).collect()
}

pub fn is_compose(file: &str) -> bool {
    let stem = file.strip_suffix(".yml").or_else(|| file.strip_suffix(".yaml"));
    stem.is_some_and(|stem| stem.starts_with("docker-compose") || stem.starts_with("compose"))
}

/// The keys of some objects of a JSON document.
fn keys(text: &str, sections: &[&str]) -> Vec<String> {
    let Ok(document) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let objects = sections.iter().filter_map(|section| document.get(section)?.as_object());
    objects.flat_map(|object| object.keys().cloned()).collect()
}

/// The name before the version of `name[extra]>=1 ; marker`.
fn requirement(line: &str) -> Option<String> {
    let name: String =
        line.trim().chars().take_while(|c| c.is_alphanumeric() || "-_.".contains(*c)).collect();
    (!name.is_empty() && !name.starts_with('-')).then(|| name.to_lowercase().replace('_', "-"))
}

/// Both styles: a list of quoted requirements, and keys of a table.
fn pyproject(text: &str) -> Vec<String> {
    let quoted = text.lines().map(str::trim).filter_map(|line| line.strip_prefix(['"', '\'']));
    let inline = text.lines().filter(|line| line.trim_start().starts_with("dependencies"));
    let inline = inline.flat_map(|line| line.split(['"', '\'']).skip(1).step_by(2));
    let tables = ["dependencies", "packages"].into_iter().flat_map(|section| sections(text, section));
    let tables: Vec<String> = tables.filter_map(|name| requirement(&name)).collect();
    quoted.chain(inline).filter_map(requirement).chain(tables).collect()
}

/// The keys of every TOML table whose name ends so, and the names of its sub-tables.
fn sections(text: &str, wanted: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(table) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
            let table = table.trim_start_matches('[');
            inside = table.ends_with(wanted);
            let sub = table.rsplit_once('.').filter(|(parent, _)| parent.ends_with(wanted));
            names.extend(sub.map(|(_, name)| name.trim_matches('"').to_owned()));
        } else if inside && let Some((name, _)) = line.split_once('=') {
            let name = name.split('.').next().unwrap_or(name).trim().trim_matches('"');
            names.push(name.to_owned());
        }
    }
    names
}

/// The module path without its major version.
fn go_module(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches("require ").trim();
    let path = line.split_whitespace().next()?;
    let major = |tail: &str| tail.strip_prefix('v').is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
    let path = path.rsplit_once('/').filter(|(_, tail)| major(tail)).map_or(path, |(head, _)| head);
    (path.contains('.') && path.contains('/')).then(|| path.to_owned())
}

fn gem(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("gem ")?.trim_start().strip_prefix(['"', '\''])?;
    rest.split(['"', '\'']).next().map(str::to_owned)
}

/// Plugin ids and the middle of `group:artifact:version`.
fn gradle(text: &str) -> Vec<String> {
    let quoted = text.lines().flat_map(|line| line.split(['"', '\'']).skip(1).step_by(2));
    quoted.map(|name| name.split(':').nth(1).unwrap_or(name).to_owned()).collect()
}

/// The image of a compose service without registry and tag.
fn image(line: &str) -> Option<String> {
    let name = line.trim().strip_prefix("image:")?.trim().trim_matches(['"', '\'']);
    let name = name.split('@').next().unwrap_or(name);
    let name = name.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')).map_or(name, |(name, _)| name);
    let name = ["docker.io/library/", "docker.io/", "quay.io/"]
        .iter()
        .find_map(|r| name.strip_prefix(r))
        .unwrap_or(name);
    (!name.is_empty()).then(|| name.to_owned())
}

fn between(text: &str, open: &str, close: &str) -> Vec<String> {
    let after = text.split(open).skip(1);
    after.filter_map(|rest| rest.split_once(close)).map(|(name, _)| name.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_manifest_gives_its_names() {
        let cases = [
            (
                "package.json",
                r#"{"dependencies":{"next":"15"},"devDependencies":{"typescript":"5"}}"#,
                "npm:next npm:typescript",
            ),
            ("package.json", "{broken", ""),
            ("package.json", r#"{"dependencies":["odd"]}"#, ""),
            (
                "requirements.txt",
                "# web\nDjango>=5\npsycopg2_binary[x]==2 ; python\n-r more.txt\n",
                "pip:django pip:psycopg2-binary",
            ),
            ("pyproject.toml", "[project]\ndependencies = [\n  \"fastapi>=0.1\",\n]\n", "pip:fastapi"),
            ("pyproject.toml", "[tool.poetry.dependencies]\nflask = \"3\"\n", "pip:flask"),
            (
                "Cargo.toml",
                "[package]\nname = \"x\"\n[dependencies]\naxum = \"0.8\"\nsqlx.workspace = true\n[dev-dependencies.diesel]\nversion = \"2\"\n",
                "cargo:axum cargo:sqlx cargo:diesel",
            ),
            (
                "go.mod",
                "module example.org/x\n\nrequire (\n\tgithub.com/jackc/pgx/v5 v5.1.0\n)\n",
                "go:github.com/jackc/pgx",
            ),
            ("Gemfile", "source \"https://rubygems.org\"\ngem 'rails', '~> 8'\n", "gem:rails"),
            ("composer.json", r#"{"require":{"laravel/framework":"^11"}}"#, "composer:laravel/framework"),
            (
                "pom.xml",
                "<dependency><artifactId>spring-kafka</artifactId></dependency>",
                "maven:spring-kafka",
            ),
            ("build.gradle", "implementation 'org.flywaydb:flyway-core:10'", "maven:flyway-core"),
            (
                "docker-compose.yml",
                "services:\n  db:\n    image: docker.io/library/postgres:17-alpine\n  q:\n    image: \"localhost:5000/nats\"\n",
                "image:postgres image:localhost:5000/nats",
            ),
            (
                "web.csproj",
                "<PackageReference Include=\"Microsoft.EntityFrameworkCore\" />",
                "nuget:Microsoft.EntityFrameworkCore",
            ),
            ("README.md", "react", ""),
        ];
        for (file, text, expected) in cases {
            let found = packages(file, text);
            let expected: Vec<&str> = expected.split_whitespace().collect();
            for name in &expected {
                assert!(found.iter().any(|found| found == name), "{file}: {found:?} lacks {name}");
            }
            assert!(found.len() <= expected.len() + 1, "{file}: {found:?}");
        }
    }
}
