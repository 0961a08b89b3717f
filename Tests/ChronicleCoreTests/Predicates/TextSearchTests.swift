import ChronicleCore
import ChronicleTestSupport
import Foundation
import Testing

/// The search without Foundation must have the results of Foundation.
@Suite("Predicates: searching text")
struct TextSearchTests {
    private static func isFound(_ part: String, in text: String) -> Bool {
        // Not the method of `String`; see `TextSearch`.
        let found = NSString(string: text).range(of: part, options: [.caseInsensitive, .diacriticInsensitive])
        return found.location != NSNotFound && found.location + found.length <= text.utf16.count
    }

    @Test(
        "Case, diacritics, and other equivalent characters",
        arguments: [
            ("Café", "CAFE", true), ("cafe", "É", true), ("cafe\u{301}", "é", true), ("e\u{301}x", "ex", true),
            ("Straße", "STRASSE", true), ("ß", "s", false), ("Ελλάς", "ΕΛΛΑΣ", true), ("Йод", "ио", true),
            ("a\0b", "\0B", true), ("é本", "本\0", false), ("\r\n", "\n", true), ("日本語", "本", true), ("が", "か", false),
            ("K", "k", true),
            ("Istanbul", "i", true), ("İstanbul", "i", true), ("ısı", "i", false), ("Ærø", "ae", false),
            ("100%_", "%", true), ("100", "%", false), ("aab", "ab", true), ("", "", false), ("a", "", false),
            ("", "a", false), ("ab", "abc", false), ("👍🏽", "👍", true),
        ])
    func examples(_ text: String, _ part: String, _ expected: Bool) {
        #expect(TextSearch(part).isFound(in: text) == expected)
        #expect(Self.isFound(part, in: text) == expected)
    }

    /// Characters of many scripts, in texts of up to six of them.
    @Test("Random texts", arguments: 0..<20 as Range<UInt64>)
    func random(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        let few = (0..<6).map { _ in Self.scalar(&random) }
        for _ in 0..<2_000 {
            let text = Self.text(&random, few, 1 + random.below(6))
            let part = Self.text(&random, few, 1 + random.below(2))
            let scalars = "\(text.unicodeScalars.map(\.value)) \(part.unicodeScalars.map(\.value))"
            #expect(TextSearch(part).isFound(in: text) == Self.isFound(part, in: text), "\(scalars)")
        }
    }

    /// Mostly a few characters, so that matches occur, and their folded forms.
    private static func text(_ random: inout SplitMix, _ few: [Unicode.Scalar], _ length: Int) -> String {
        var text = ""
        for _ in 0..<length {
            let scalar = random.below(4) == 0 ? scalar(&random) : few[random.below(few.count)]
            switch random.below(4) {
            case 0: text += String(scalar).uppercased()
            case 1: text += String(scalar).decomposedStringWithCanonicalMapping.prefix(1)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func scalar(_ random: inout SplitMix) -> Unicode.Scalar {
        let ranges = [
            0..<0x80, 0..<0x250, 0..<0x800, 0x800..<0x3200, 0x2000..<0x2030, 0x3040..<0x3100, 0x4E00..<0x4E10,
        ]
        let range = (ranges + [0xAC00..<0xAC20, 0xA000..<0x1_F700])[random.below(9)]
        return Unicode.Scalar(UInt32(range.lowerBound + random.below(range.count))) ?? "a"
    }
}
