import ChronicleTestSupport

/// Values at the limits of types, and of wrong types.
enum HostileValues {
    private static let integers: [Int64] = [
        .min, .min + 1, -(1 << 62), -(1 << 32), -1_000_000, -2, -1, 0, 1, 2, 3, 4, 61, 62, 63, 64, 127, 128, 255, 1_000,
        65_535, 1_000_000, 1 << 31, 1 << 32, 1 << 53, (1 << 61) - 1, 1 << 61, (1 << 62) - 1, 1 << 62, (1 << 62) + 1,
        .max - 2, .max - 1, .max,
    ]

    private static let texts = [
        "", "0", "1", "-1", "NaN", "nan", "1e999", "-1e999999999999999999", "0x10", "9223372036854775808", "off", "on",
        "Sample", "Owner", "Label", "nobody", "name", "owner", "\"", "'", "a\0b", "1,1", ",", "1,,1", "1,x", "null",
        "{}",
        "[]", "[[1]]", "{\"street\":1}", "{\"street\":\"\",\"numbers\":[1e400]}", "http://[::1", "é\u{301}\u{1F600}",
        "\u{FEFF}",
        "00000000-0000-4000-8000-000000000000", "not-a-uuid", "complete:",
        "12345678901234567890123456789012345678901234567890",
        "1E+127", "1E-128", "1E-2147483648", "0.00000000000000000000000000000000000000000000000000000000000000001",
    ]

    /// - Parameter present: The integer to replace. Values near it often cause more problems than others.
    static func value(_ random: inout SplitMix, near present: Int64? = nil) -> RawDatabase.Value {
        switch random.below(20) {
        case 0...7: return .integer(integer(&random, near: present))
        case 8, 9: return .null
        case 10...12: return .text(random.pick(texts))
        case 13:
            return .real(
                random.pick([0.5, -0.0, 1e300, -1e300, .infinity, -.infinity, 9.3e18, .leastNonzeroMagnitude, -1.5]))
        case 14: return .blob(random.bytes(random.pick([0, 1, 7, 8, 9, 15, 16, 17, 100])))
        case 15: return .text(random.bytes(random.pick([1, 3, 20])))
        case 16: return large(&random)
        case 17: return .integer(Int64(bitPattern: random.next()))
        default: return .integer(Int64(random.below(40)))
        }
    }

    private static func integer(_ random: inout SplitMix, near present: Int64?) -> Int64 {
        guard let present, random.chance(60) else { return random.pick(integers) }
        switch random.below(6) {
        case 0: return present &+ 1
        case 1: return present &- 1
        case 2: return 0 &- present
        case 3: return present &* 4
        case 4: return present ^ (1 << Int64(random.below(64)))
        default: return present &+ random.pick(integers)
        }
    }

    private static func large(_ random: inout SplitMix) -> RawDatabase.Value {
        switch random.below(5) {
        case 0: .blob([UInt8](repeating: 0, count: 1_000_000))
        case 1: .text([UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000))
        case 2: .text([UInt8](repeating: UInt8(ascii: "["), count: 100_000))
        case 3: .text(String(repeating: "1,", count: 100_000))
        default: .text(String(repeating: "9", count: 10_000))
        }
    }
}
