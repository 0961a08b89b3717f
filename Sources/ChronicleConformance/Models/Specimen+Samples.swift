import Foundation

extension Specimen {
    /// Values that stores are likely to change: extremes, negative zero, NaN payloads, and NUL characters if the store
    /// supports them.
    static func samples(_ features: StoreFeatures) -> [Specimen] {
        [low(), high(), special(), Specimen()].map { $0.limited(to: features) }
    }

    private func limited(to features: StoreFeatures) -> Specimen {
        guard !features.contains(.nulCharacters) else { return self }
        func plain(_ text: String) -> String { text.filter { $0 != "\0" } }
        (string, optionalString) = (plain(string), optionalString.map(plain))
        place.street = plain(place.street)
        optionalPlace?.street = plain(optionalPlace?.street ?? "")
        array = array.map(plain)
        return self
    }

    private static func low() -> Specimen {
        let low = Specimen()
        (low.bool, low.int, low.int8, low.int16, low.int32, low.int64) = (true, .min, .min, .min, .min, .min)
        (low.double, low.float, low.string) = (-0.0, -0.0, "nul \0 inside\0")
        (low.date, low.data) = (Date(timeIntervalSinceReferenceDate: -0.0), Data([0, 255, 0]))
        low.decimal = Decimal(sign: .minus, exponent: -36, significand: 1)
        (low.mood, low.shade, low.url) = (.bad, .dark, URL(filePath: "/a b/ü#?"))
        low.place = Place(street: "q'\"\0", numbers: [0.1, .infinity, -0.0], since: Date(timeIntervalSince1970: 0.1))
        return low
    }

    private static func high() -> Specimen {
        let high = Specimen()
        (high.int, high.int8, high.int16, high.int32, high.int64) = (.max, .max, .max, .max, .max)
        (high.uint8, high.uint64) = (.max, UInt64(Int64.max))
        (high.double, high.float, high.string) = (.infinity, .infinity, "e\u{301} is not \u{e9}, 🧳")
        (high.date, high.uuid) = (.distantFuture, UUID())
        high.decimal = Decimal(UInt64.max) * Decimal(UInt64.max)
        (high.array, high.dictionary) = (["", "a\0b", "\u{10FFFF}"], ["": 1, "k": .min])
        (high.optionalInt, high.optionalDouble, high.optionalString) = (.min, .nan, "")
        (high.optionalDate, high.optionalData, high.optionalMood) = (.distantPast, Data(), .bad)
        (high.optionalPlace, high.optionalArray) = (high.place, [Date(timeIntervalSinceReferenceDate: 0.1)])
        return high
    }

    private static func special() -> Specimen {
        let special = Specimen()
        (special.double, special.float) = (Double(bitPattern: 0x7FF8_0000_DEAD_BEEF), Float(bitPattern: 0x7FC0_1234))
        special.date = Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude)
        (special.optionalDouble, special.optionalArray) = (-Double.infinity, [])
        return special
    }

    // MARK: For queries

    /// Each type has values below, equal to, and above the values in the predicates, some of them repeated. Every third
    /// specimen has no optional values.
    static func searchable(_ features: StoreFeatures = .all) -> [Specimen] {
        let integers = [-7, 0, 1, 7, 7, 100, .min, .max]
        let reals = [-0.5, 0, 0.1, 7, 7, 1e300, -.infinity, .infinity]
        let texts = ["", "Zebra", "apple", "apple pie", "Äpfel", "a\0b", "z\u{10FFFF}", "50%_"]
        return zip(integers, zip(reals, texts)).enumerated().map { index, values in
            searchable(index, values.0, values.1.0, values.1.1).limited(to: features)
        }
    }

    private static func searchable(_ index: Int, _ integer: Int, _ real: Double, _ text: String) -> Specimen {
        let searchable = Specimen()
        (searchable.bool, searchable.shade) = (index.isMultiple(of: 2), Shade.allCases[index % 3])
        (searchable.int, searchable.int64) = (integer, Int64(integer))
        searchable.int8 = Int8(clamping: integer)
        (searchable.int16, searchable.int32) = (Int16(clamping: integer), Int32(clamping: integer))
        (searchable.uint8, searchable.uint64) = (UInt8(clamping: integer), UInt64(clamping: integer))
        (searchable.double, searchable.float, searchable.decimal) = (real, Float(real), Decimal(index) / 10)
        searchable.date = Date(timeIntervalSinceReferenceDate: real)
        (searchable.string, searchable.data, searchable.array) = (text, Data(text.utf8), [text])
        searchable.uuid = UUID(uuid: (UInt8(index) << 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        searchable.url = URL(filePath: "/\(index)")
        searchable.place = Place(street: text, numbers: [Double(index)], since: nil)
        guard index % 3 != 0 else { return searchable }
        (searchable.optionalInt, searchable.optionalDouble, searchable.optionalString) = (integer, real, text)
        (searchable.optionalDate, searchable.optionalData) = (searchable.date, searchable.data)
        return searchable
    }
}
