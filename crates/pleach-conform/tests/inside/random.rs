//! The oracle's random stream.

use pleach_conform::oracle::random::SplitMix64;

#[test]
fn known_numbers() {
    // From the reference implementation, seed 1234567.
    let mut random = SplitMix64(1_234_567);
    let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
    assert_eq!([random.bits(), random.bits(), random.bits()], first);
}

#[test]
fn orders() {
    let mut random = SplitMix64(0);
    assert_eq!(random.order(&[1.0]), [0]);
    assert_eq!(random.0, 0, "the only one is not drawn");
    assert_eq!(random.order(&[0.0, 0.0, 0.0]), [0, 1, 2]);
    assert_eq!(random.0, 0, "nothing is drawn without a weight");
    for _ in 0..100 {
        assert_eq!(random.order(&[0.0, 1.0, 0.0]), [1, 0, 2]);
    }
}
