//! The GUID as a digest of the content.

use sha2::{Digest, Sha256};

use crate::{Error, ModelDescription};

impl ModelDescription {
    /// A GUID that depends on the content alone: the first 128 bits of the SHA-256 of the XML
    /// written without GUID and without date, as `{8-4-4-4-12}`.
    ///
    /// The date is left out so that the same model, exported twice, keeps its GUID. Six bits mark
    /// the result as a version 8 UUID (RFC 9562), for hosts that parse it as one.
    pub fn content_guid(&self) -> Result<String, Error> {
        let mut content = self.clone();
        content.guid = String::new();
        content.generation_date_and_time = None;
        Ok(digest(&content.to_xml()?))
    }

    /// The instantiation token of FMI 3.0: the same digest of that version's XML.
    pub fn content_token(&self) -> Result<String, Error> {
        let mut content = self.clone();
        content.generation_date_and_time = None;
        Ok(digest(&content.to_xml_3("")?))
    }
}

fn digest(xml: &str) -> String {
    let digest = Sha256::digest(xml.as_bytes());
    let mut bytes = [0_u8; 16];
    bytes.copy_from_slice(&digest[..16]);
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    format!(
        "{{{}-{}-{}-{}-{}}}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

#[cfg(test)]
mod tests {
    use crate::tests::sample;

    #[test]
    fn guid_follows_the_content_and_nothing_else() {
        let mut description = sample::full();
        let guid = description.content_guid().unwrap();
        description.guid = guid.clone();
        description.generation_date_and_time = Some("2031-01-01T00:00:00Z".to_owned());
        assert_eq!(description.content_guid().unwrap(), guid);
        description.model_variables[0].description = Some("another".to_owned());
        assert_ne!(description.content_guid().unwrap(), guid);
    }

    #[test]
    fn guid_has_the_form_of_a_uuid() {
        let guid = sample::full().content_guid().unwrap();
        let inner = guid
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .unwrap();
        let groups: Vec<&str> = inner.split('-').collect();
        assert_eq!(
            groups.iter().map(|group| group.len()).collect::<Vec<_>>(),
            [8, 4, 4, 4, 12]
        );
        assert!(groups.concat().bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(groups[2].starts_with('8'));
        assert!(matches!(groups[3].as_bytes()[0], b'8' | b'9' | b'a' | b'b'));
    }

    /// Pins the digest: a change here means that every exported FMU changes its GUID.
    #[test]
    fn guid_of_the_smallest_description_is_pinned() {
        let description = sample::smallest();
        assert_eq!(
            description.content_guid().unwrap(),
            "{7f14c7c2-c02e-89c4-a709-cc2a50a54256}"
        );
    }
}
