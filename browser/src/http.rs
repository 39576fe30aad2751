//! As much of HTTP/1.1 as a WebDriver on this machine needs: a request with a body, an answer with
//! a length.

use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

/// An answer takes at most this long; a busy machine starts a browser slowly.
const PATIENCE: Duration = Duration::from_secs(120);

/// Sends a request to a port of this machine and returns the body of the answer.
pub(crate) fn request(port: u16, method: &str, path: &str, body: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\
         Content-Type: application/json; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()?;
    read_answer(&mut BufReader::new(stream))
}

fn read_answer(reader: &mut impl BufRead) -> io::Result<String> {
    let mut length = None;
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let header = line.trim_end();
        if header.is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let mut body = Vec::new();
    match length {
        Some(length) => {
            body.resize(length, 0);
            reader.read_exact(&mut body)?;
        }
        None => {
            reader.read_to_end(&mut body)?;
        }
    }
    String::from_utf8(body).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_as_long_as_the_header_says() {
        let answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nA: b\r\n\r\nhello and more";
        assert_eq!(read_answer(&mut answer.as_bytes()).unwrap(), "hello");
        let open = "HTTP/1.1 200 OK\r\n\r\nto the end";
        assert_eq!(read_answer(&mut open.as_bytes()).unwrap(), "to the end");
        assert!(read_answer(&mut "HTTP/1.1 200 OK\r\n".as_bytes()).is_err());
    }
}
