//! [`Archive`]: bytes that are written and read by the same code, so that both agree.

/// Bytes to write, or to read. Each of its functions takes a value to write, or replaces it by the
/// one that is read. Once something is wrong, only zeros and empty lists are read.
#[derive(Debug)]
pub struct Archive<'a> {
    /// The rest of the bytes to read.
    left: Option<&'a [u8]>,
    written: Vec<u8>,
    /// How many bytes there were, and whether they are valid.
    len: usize,
    wrong: Option<usize>,
}

impl<'a> Archive<'a> {
    /// An empty one, to write to.
    #[must_use]
    pub fn writing() -> Self {
        Archive { left: None, written: Vec::new(), len: 0, wrong: None }
    }

    /// One to read from.
    #[must_use]
    pub fn reading(bytes: &'a [u8]) -> Self {
        Archive { left: Some(bytes), written: Vec::new(), len: bytes.len(), wrong: None }
    }

    /// Whether it is for reading.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        self.left.is_some()
    }

    /// Notes that the last value read is invalid, or that a value cannot be written.
    pub fn refuse(&mut self) {
        let at = self.len - self.left.map_or(0, <[u8]>::len);
        self.wrong.get_or_insert(at);
        self.left = self.left.map(|_| &[][..]);
    }

    /// Finishes it.
    ///
    /// # Errors
    /// How many bytes had been read when something was wrong; or when everything was read, but
    /// bytes are left.
    pub fn finish(mut self) -> Result<Vec<u8>, usize> {
        if self.left.is_some_and(|it| !it.is_empty()) {
            self.refuse();
        }
        self.wrong.map_or(Ok(self.written), Err)
    }

    fn take(&mut self, count: usize) -> &'a [u8] {
        match self.left.and_then(|it| it.split_at_checked(count)) {
            Some((taken, left)) => {
                self.left = Some(left);
                taken
            }
            None => {
                self.refuse();
                &[]
            }
        }
    }

    /// `N` bytes as they are.
    pub fn bytes<const N: usize>(&mut self, it: &mut [u8; N]) {
        if self.is_reading() {
            *it = self.take(N).try_into().unwrap_or([0; N]);
        } else {
            self.written.extend_from_slice(it);
        }
    }

    /// A number, usually a small one: seven bits in a byte, the lowest first.
    pub fn number(&mut self, it: &mut u64) {
        let mut rest = if self.is_reading() { std::mem::take(it) } else { *it };
        for shift in (0..u64::BITS).step_by(7) {
            let mut byte = [(rest & 0x7f).to_le_bytes()[0] | if rest > 0x7f { 0x80 } else { 0 }];
            rest >>= 7;
            self.bytes(&mut byte);
            if self.is_reading() {
                let low = u64::from(byte[0] & 0x7f);
                // Only one bit of the last byte fits.
                if low << shift >> shift != low {
                    self.refuse();
                }
                *it |= low << shift;
            }
            if byte[0] & 0x80 == 0 {
                return;
            }
        }
        self.refuse();
    }

    /// A number that fits into 32 bits.
    pub fn number32(&mut self, it: &mut u32) {
        let mut wide = u64::from(*it);
        self.number(&mut wide);
        *it = u32::try_from(wide).unwrap_or_else(|_| {
            self.refuse();
            0
        });
    }

    /// One of some values, by its index among them.
    pub fn one_of<T: Clone + PartialEq>(&mut self, it: &mut T, all: &[T]) {
        let place = all.iter().position(|one| one == it).and_then(|it| u8::try_from(it).ok());
        let mut byte = [place.unwrap_or(u8::MAX)];
        self.bytes(&mut byte);
        match all.get(usize::from(byte[0])) {
            Some(one) => *it = one.clone(),
            None => self.refuse(),
        }
    }

    /// A bool.
    pub fn flag(&mut self, it: &mut bool) {
        self.one_of(it, &[false, true]);
    }

    /// A text.
    pub fn text(&mut self, it: &mut String) {
        let mut len = it.len() as u64;
        self.number(&mut len);
        if !self.is_reading() {
            self.written.extend_from_slice(it.as_bytes());
            return;
        }
        let bytes = self.take(usize::try_from(len).unwrap_or(usize::MAX));
        *it = std::str::from_utf8(bytes).map(str::to_owned).unwrap_or_else(|_| {
            self.refuse();
            String::new()
        });
    }

    /// A list; `empty` makes an element before it is read.
    pub fn list<T>(&mut self, list: &mut Vec<T>, empty: impl Fn() -> T, mut each: impl FnMut(&mut Self, &mut T)) {
        let mut count = list.len() as u64;
        self.number(&mut count);
        if !self.is_reading() {
            list.iter_mut().for_each(|it| each(self, it));
            return;
        }
        list.clear();
        for _ in 0..count {
            // It grows with the bytes that are there, not with the count.
            if self.wrong.is_some() {
                return;
            }
            let mut it = empty();
            each(self, &mut it);
            list.push(it);
        }
    }

    /// A value that may be missing.
    pub fn maybe<T>(&mut self, it: &mut Option<T>, empty: impl Fn() -> T, each: impl FnOnce(&mut Self, &mut T)) {
        let mut is_there = it.is_some();
        self.flag(&mut is_there);
        if self.is_reading() {
            *it = is_there.then(empty);
        }
        if let Some(it) = it {
            each(self, it);
        }
    }

    /// A text that may be missing.
    pub fn maybe_text(&mut self, it: &mut Option<String>) {
        self.maybe(it, String::new, Archive::text);
    }

    /// As [`maybe_text`](Archive::maybe_text), for a text that does not grow.
    pub fn maybe_str(&mut self, it: &mut Option<Box<str>>) {
        let mut text = it.take().map(String::from);
        self.maybe_text(&mut text);
        *it = text.map(String::into_boxed_str);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value in some bytes, or where they went wrong.
    fn read<T>(bytes: &[u8], mut it: T, by: impl Fn(&mut Archive<'_>, &mut T)) -> Result<T, usize> {
        let mut archive = Archive::reading(bytes);
        by(&mut archive, &mut it);
        archive.finish().map(|_| it)
    }

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut archive = Archive::writing();
            archive.number(&mut number.clone());
            let bytes = archive.finish().unwrap();
            assert_eq!(read(&bytes, 7, |archive, it| archive.number(it)), Ok(number));
            for cut in 0..bytes.len() {
                assert_eq!(read(&bytes[..cut], 7, |archive, it| archive.number(it)), Err(cut));
            }
        }
        // Eleven bytes, and a tenth with more than one bit.
        assert!(read(&[0x80; 11], 7, |archive, it| archive.number(it)).is_err());
        assert!(
            read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2], 7, |archive, it| archive.number(it))
                .is_err()
        );
        assert!(read(&[0xff, 0xff, 0xff, 0xff, 0x10], 7, |archive, it| archive.number32(it)).is_err());
    }

    #[test]
    fn what_bytes_do_not_hold_is_refused() {
        let text = |bytes: &[u8]| read(bytes, String::new(), |archive, it| archive.text(it));
        assert_eq!(text(b"\x03one"), Ok("one".into()));
        assert_eq!(text(b"\x03on"), Err(1));
        assert!(text(b"\x02\xc3\x28").is_err());
        assert_eq!(text(b"\x03one!"), Err(4));
        assert_eq!(text(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]), Err(10));
        let flag = |bytes: &[u8]| read(bytes, false, |archive, it| archive.flag(it));
        assert_eq!((flag(&[0]), flag(&[1]), flag(&[2])), (Ok(false), Ok(true), Err(1)));
        let list = |bytes: &[u8]| {
            read(bytes, vec![9], |archive, list| archive.list(list, || 7, |archive, it| archive.number32(it)))
        };
        assert_eq!(list(&[2, 5, 6]), Ok(vec![5, 6]));
        assert_eq!(list(&[0xff, 0xff, 0xff, 0xff, 0xff, 1, 5, 6]), Err(8));
    }
}
