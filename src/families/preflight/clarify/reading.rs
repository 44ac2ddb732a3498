//! What an intention and its context say: values named, categories touched, signals given.

use super::catalogue::{Catalogue, Type, same};
use super::hits::{Hit, hits};
use super::numbers::files_named;
use super::vocabulary::{Mention, Vocabulary};
use super::words::Words;
use crate::error::{Error, Result};

/// A text that was read; the same text always reads the same, so nothing of it needs to be kept.
#[derive(Clone, Debug)]
pub struct Reading {
    pub catalogue: &'static Catalogue,
    pub vocabulary: &'static Vocabulary,
    pub intention: String,
    pub context: Option<String>,
    /// Values that need not be asked for, in the order of the catalogue.
    pub detected: Vec<Detected>,
    /// Values of a question that were named side by side: asked for, and offered first.
    pub named: Vec<(String, Vec<String>)>,
    /// Values that the intention does not want, by question: never recommended.
    pub refused: Vec<(String, String)>,
    /// Those of them that were in use and are to go: what takes their place is open.
    pub given_up: Vec<(String, String)>,
    /// Categories by number of hits.
    pub hits: Vec<Hit>,
    pub signals: Given,
}

/// A value found in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detected {
    pub question: String,
    /// The question's text without its question word.
    pub label: String,
    /// More than one only for a question of several choices.
    pub values: Vec<String>,
    /// Whether the intention itself says so, not only its context.
    pub intended: bool,
    /// Whether it is something that would have to be added where it is missing.
    pub dependency: bool,
}

impl Detected {
    pub fn value(&self) -> String {
        self.values.join(", ")
    }
}

/// The signals for and against a decision record, each as the words that gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    pub wish: Option<String>,
    pub no_adr: bool,
    pub non_trigger: Option<String>,
    pub trigger: Option<String>,
    pub scope: Option<String>,
    /// Whether something decided is to be decided anew.
    pub change: bool,
}

struct Text {
    words: Words,
    mentions: Vec<Mention>,
}

impl Text {
    fn of(vocabulary: &'static Vocabulary, text: &str) -> Self {
        let words = Words::of(text);
        Text { mentions: vocabulary.mentions(&words), words }
    }
}

impl Reading {
    /// Reads a text; an empty intention is refused.
    pub fn of(intention: &str, context: Option<&str>) -> Result<Self> {
        if intention.trim().is_empty() {
            return Err(Error::invalid("`user_intention` is empty")
                .hint("say in a sentence what is to be done")
                .reason("empty_intention"));
        }
        let (catalogue, vocabulary) = (Catalogue::get()?, Vocabulary::get()?);
        let context = context.map(str::trim).filter(|context| !context.is_empty());
        let texts = [Text::of(vocabulary, intention), Text::of(vocabulary, context.unwrap_or_default())];
        let hits_of = |text: &Text| hits(catalogue, vocabulary, &text.words, &text.mentions);
        let mut hits = hits_of(&texts[0]);
        if hits.is_empty() {
            // A context is background, unless the intention alone says nothing: `Do what we discussed`.
            hits = hits_of(&texts[1]);
        }
        let (detected, named) = detect(catalogue, &texts, &hits);
        let signals = signals(vocabulary, &texts, [intention, context.unwrap_or_default()]);
        let kept = |mention: &&Mention| {
            let source = texts[0].words.before(mention.span.start).is_some_and(|(word, _)| word == "from");
            // Events come from Kafka; only who moves away from it does not want it.
            !mention.wanted && (!source || signals.change)
        };
        let of = |mention: &Mention| (mention.term.question.clone(), mention.term.value.clone());
        let refused = texts[0].mentions.iter().filter(kept).map(of).collect();
        let given_up = texts[0].mentions.iter().filter(|mention| mention.given_up).map(of).collect();
        Ok(Reading {
            catalogue,
            vocabulary,
            intention: intention.trim().to_owned(),
            context: context.map(str::to_owned),
            detected,
            named,
            refused,
            given_up,
            hits,
            signals,
        })
    }

    pub fn detected(&self, question: &str) -> Option<&Detected> {
        self.detected.iter().find(|detected| detected.question == question)
    }

    pub fn refuses(&self, question: &str, value: &str) -> bool {
        self.refused.iter().any(|(of, refused)| of == question && same(refused, value))
    }

    /// Whether a value of this question is named, wanted or not.
    pub fn concerns(&self, question: &str) -> bool {
        let refused = self.refused.iter().map(|(of, _)| of);
        refused.chain(self.named.iter().map(|(of, _)| of)).any(|of| of == question)
    }

    /// Whether a value of this question is to go.
    pub fn gives_up(&self, question: &str) -> bool {
        self.given_up.iter().any(|(of, _)| of == question)
    }

    pub fn hit(&self, category: &str) -> Option<&Hit> {
        self.hits.iter().find(|hit| hit.category == category)
    }
}

/// The values that are clear, and those that were named side by side for a single choice.
fn detect(
    catalogue: &'static Catalogue,
    texts: &[Text; 2],
    hits: &[Hit],
) -> (Vec<Detected>, Vec<(String, Vec<String>)>) {
    let (mut detected, mut named) = (Vec::new(), Vec::new());
    for (category, entry) in catalogue.entries() {
        // What depends on another question only counts where its category is spoken of.
        let spoken_of = hits.iter().any(|hit| category.is_some_and(|category| category.name == hit.category));
        if entry.depends_on.is_some() && !spoken_of {
            continue;
        }
        let wanted = |text: &Text| -> Vec<Mention> {
            let of_entry = |mention: &&Mention| mention.wanted && mention.term.question == entry.id;
            text.mentions.iter().filter(of_entry).cloned().collect()
        };
        let intended = !wanted(&texts[0]).is_empty();
        let mentions = wanted(&texts[usize::from(!intended)]);
        let values = distinct(mentions.iter().map(|mention| mention.term.value.as_str()).filter(|value| {
            !mentions.iter().any(|other| other.term.includes.iter().any(|included| same(included, value)))
        }));
        let values: Vec<String> = values.into_iter().map(str::to_owned).collect();
        match values.len() {
            0 => {}
            n if n == 1 || entry.kind == Type::MultiChoice => detected.push(Detected {
                question: entry.id.clone(),
                label: entry.label().to_owned(),
                values,
                intended,
                dependency: mentions.iter().any(|mention| !mention.term.plain),
            }),
            _ => named.push((entry.id.clone(), values)),
        }
    }
    (detected, named)
}

fn signals(vocabulary: &Vocabulary, texts: &[Text; 2], plain: [&str; 2]) -> Given {
    let signals = &vocabulary.signals;
    let intention = &texts[0].words;
    let anywhere =
        |terms: &[String]| texts.iter().find_map(|text| signals.first(&text.words, terms)).map(str::to_owned);
    let named = |found: Option<(&super::vocabulary::Signal, &str)>| {
        found.map(|(signal, word)| format!("it is {} (`{word}`)", signal.name))
    };
    let scope = texts.iter().find_map(|text| named(signals.signal(&text.words, &signals.scope)));
    let files = plain.iter().filter_map(|text| files_named(text)).max();
    let many = files
        .filter(|files| *files >= super::numbers::MANY_FILES)
        .map(|files| format!("{files} files are touched"));
    let manifest =
        anywhere(&signals.manifests).map(|name| format!("`{name}` is to change: a new dependency"));
    // What a context tells of bugs is background; the request itself has to be a fix. And a fix does not
    // become a decision because its context speaks of the architecture.
    let non_trigger = named(signals.signal(intention, &signals.non_triggers));
    let [in_request, in_context] = texts.each_ref().map(|text| signals.wished(&text.words));
    let wish = in_request.or(in_context.filter(|_| non_trigger.is_none()));
    Given {
        wish: wish.map(str::to_owned),
        no_adr: anywhere(&signals.no_adr).is_some(),
        non_trigger,
        trigger: signals.first(intention, &signals.triggers).map(str::to_owned),
        scope: scope.or(many).or(manifest),
        change: anywhere(&signals.change).is_some(),
    }
}

pub fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for one in all {
        if !kept.contains(&one) {
            kept.push(one);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(intention: &str) -> Reading {
        Reading::of(intention, None).unwrap()
    }

    #[test]
    fn an_empty_intention_is_refused() {
        for empty in ["", "  \n\t", "\u{a0}"] {
            assert!(Reading::of(empty, Some("context")).is_err());
        }
    }

    #[test]
    fn values_are_detected_with_their_label() {
        let reading = read("Add OAuth login with Clerk");
        let shown: Vec<(&str, String)> =
            reading.detected.iter().map(|found| (found.label.as_str(), found.value())).collect();
        let clerk = ("authentication library", "Clerk".to_owned());
        assert_eq!(shown, [("authentication strategy", "OAuth".to_owned()), clerk]);
        assert_eq!((reading.hits[0].category, reading.hits[0].count), ("Authentication", 3));
    }

    #[test]
    fn two_values_for_one_choice_are_asked_for() {
        let reading = read("Use Redis or Memcached for caching");
        assert_eq!(reading.detected, []);
        assert_eq!(reading.named, [("caching".to_owned(), vec!["Redis".to_owned(), "Memcached".to_owned()])]);
        assert_eq!(read("A Next.js app with React").detected[0].values, ["Next.js"]);
    }

    #[test]
    fn a_context_fills_in_but_only_counts_when_the_intention_says_nothing() {
        let reading =
            Reading::of("Add a login", Some("We run PostgreSQL. A bug came up. See ADR 7")).unwrap();
        assert_eq!(reading.hits.len(), 1);
        assert!(!reading.detected("db_type").unwrap().intended);
        assert_eq!(reading.signals.non_trigger, None);
        assert_eq!(
            Reading::of("Do it", Some("Store it in PostgreSQL")).unwrap().hits[0].category,
            "Database"
        );
    }

    #[test]
    fn parts_of_a_product_name_are_no_categories() {
        let reading = read("Connect to SQL Server");
        assert_eq!(reading.hits.iter().map(|hit| hit.category).collect::<Vec<_>>(), ["Database"]);
        assert_eq!(read("Integrate with Google Maps").detected, []);
        assert_eq!(read("Keep the draft in local storage").hits, []);
    }
}
