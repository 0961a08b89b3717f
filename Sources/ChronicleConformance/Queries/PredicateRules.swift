import Chronicle
import Foundation

extension StoreRule {
    /// Rules about predicates: a fetch returns exactly the models for which `Predicate.evaluate` returns `true`.
    ///
    /// Identifiers and counts agree with a fetch. A store that throws `DataStoreError.preferInMemoryFilter` meets these
    /// rules because the context filters.
    public static var predicates: [StoreRule] {
        [equality, order, membership, text, search, conditions, arithmetic, toOnePredicates, toManyPredicates]
    }

    static var equality: StoreRule {
        StoreRule("== and != find the matching models for every type, including nil") { harness in
            try insertSearchSpecimens(harness)
            typealias Case = PredicateCase<Specimen>
            let (day, id) = (Date(timeIntervalSinceReferenceDate: 7), Specimen.searchable()[2].uuid)
            let place = Specimen.Place(street: "Zebra", numbers: [1], since: nil)
            try harness.expectAgreement(
                Case.equality("bool", \.bool, true) + Case.equality("shade", \.shade, .dark)
                    + Case.equality("int", \.int, 7, .min, .max, 3) + Case.equality("int8", \.int8, 7, .max)
                    + Case.equality("int16", \.int16, .min) + Case.equality("int32", \.int32, 100)
                    + Case.equality("int64", \.int64, .max) + Case.equality("uint8", \.uint8, 255, 0)
                    + Case.equality("uint64", \.uint64, 7) + Case.equality("double", \.double, 0, 7, .infinity, .nan)
                    + Case.equality("float", \.float, 0.1, -.infinity) + Case.equality("date", \.date, day))
            try harness.expectAgreement(
                Case.equality("string", \.string, "apple", "", "Apple", "a\0b", "Äpfel")
                    + Case.equality("data", \.data, Data("a\0b".utf8), Data())
                    + Case.equality("uuid", \.uuid, id, UUID())
                    + Case.equality("url", \.url, URL(filePath: "/2")) + Case.equality("place", \.place, place)
                    + Case.equality("decimal", \.decimal, Decimal(3) / 10)
                    + Case.equality("array", \.array, ["apple pie"], []))
            try harness.expectAgreement(
                Case.equality("optionalInt", \.optionalInt, nil, 7, 3)
                    + Case.equality("optionalDouble", \.optionalDouble, nil, 7, .nan)
                    + Case.equality("optionalString", \.optionalString, nil, "apple", "")
                    + Case.equality("optionalDate", \.optionalDate, nil, day)
                    + Case.equality("optionalData", \.optionalData, nil, Data("apple".utf8)))
        }
    }

    static var order: StoreRule {
        StoreRule("<, <=, >, and >= find the matching models for every comparable type") { harness in
            try insertSearchSpecimens(harness)
            typealias Case = PredicateCase<Specimen>
            let (day, id) = (Date(timeIntervalSinceReferenceDate: 0.1), Specimen.searchable()[4].uuid)
            try harness.expectAgreement(
                Case.order("int", \.int, 7, 0, .min, .max) + Case.order("int8", \.int8, 7)
                    + Case.order("int16", \.int16, 100) + Case.order("int32", \.int32, -7)
                    + Case.order("int64", \.int64, 1)
                    + Case.order("uint8", \.uint8, 7) + Case.order("uint64", \.uint64, 100)
                    + Case.order("double", \.double, 0, 7, .infinity, .nan) + Case.order("float", \.float, 7))
            try harness.expectAgreement(
                Case.order("string", \.string, "apple", "", "b", "apple pie", "Zz")
                    + Case.order("date", \.date, day, .distantFuture) + Case.order("uuid", \.uuid, id))
        }
    }

    static var membership: StoreRule {
        StoreRule("contains on arrays, sets, and ranges finds the matching models") { harness in
            try insertSearchSpecimens(harness)
            let (integers, texts, none) = ([7, 100, -1], Set(["apple", "Äpfel", ""]), [Int]())
            let (optionals, reals): ([Int?], [Double?]) = ([7, nil], [7, .nan])
            let (closed, open, from) = (0...7, 0..<7, 7...)
            let days = Date(timeIntervalSinceReferenceDate: 0)..<Date(timeIntervalSinceReferenceDate: 7)
            let ids = Specimen.searchable()[2...3].map(\.uuid)
            try harness.expectAgreement([
                PredicateCase("int in [7, 100, -1]", #Predicate<Specimen> { integers.contains($0.int) }),
                PredicateCase("int not in [7, 100, -1]", #Predicate<Specimen> { !integers.contains($0.int) }),
                PredicateCase("int in []", #Predicate<Specimen> { none.contains($0.int) }),
                PredicateCase("string in a set", #Predicate<Specimen> { texts.contains($0.string) }),
                PredicateCase("uuid in a list", #Predicate<Specimen> { ids.contains($0.uuid) }),
                PredicateCase("optionalInt in [7, nil]", #Predicate<Specimen> { optionals.contains($0.optionalInt) }),
                PredicateCase(
                    "optionalInt not in [7, nil]", #Predicate<Specimen> { !optionals.contains($0.optionalInt) }),
                PredicateCase("optionalDouble in [7, NaN]", #Predicate<Specimen> { reals.contains($0.optionalDouble) }),
                PredicateCase(
                    "optionalDouble not in [7, NaN]", #Predicate<Specimen> { !reals.contains($0.optionalDouble) }),
                PredicateCase("int in 0...7", #Predicate<Specimen> { closed.contains($0.int) }),
                PredicateCase("int in 0..<7", #Predicate<Specimen> { open.contains($0.int) }),
                PredicateCase("int not in 7...", #Predicate<Specimen> { !from.contains($0.int) }),
                PredicateCase("date in a range", #Predicate<Specimen> { days.contains($0.date) }),
            ])
        }
    }

    static var text: StoreRule {
        StoreRule("string predicates are literal: sensitive to case and diacritics, without wildcards") {
            harness in
            try insertSearchSpecimens(harness)
            let (empty, zero, last) = ("", "a\0", "z\u{10FFFF}")
            try harness.expectAgreement([
                PredicateCase("contains 'pp'", #Predicate<Specimen> { $0.string.contains("pp") }),
                PredicateCase("contains 'PP'", #Predicate<Specimen> { $0.string.contains("PP") }),
                PredicateCase("does not contain 'pp'", #Predicate<Specimen> { !$0.string.contains("pp") }),
                PredicateCase("contains 'a'", #Predicate<Specimen> { $0.string.contains("a") }),
                PredicateCase("contains 'A'", #Predicate<Specimen> { $0.string.contains("A") }),
                PredicateCase("contains ''", #Predicate<Specimen> { $0.string.contains(empty) }),
                PredicateCase("contains NUL", #Predicate<Specimen> { $0.string.contains(zero) }),
                PredicateCase("contains '%'", #Predicate<Specimen> { $0.string.contains("%") }),
                PredicateCase("contains '_'", #Predicate<Specimen> { $0.string.contains("_") }),
                PredicateCase("contains '0_'", #Predicate<Specimen> { $0.string.contains("0_") }),
                PredicateCase("starts with 'apple'", #Predicate<Specimen> { $0.string.starts(with: "apple") }),
                PredicateCase("starts with 'Apple'", #Predicate<Specimen> { $0.string.starts(with: "Apple") }),
                PredicateCase("starts with 'Ä'", #Predicate<Specimen> { $0.string.starts(with: "Ä") }),
                PredicateCase("starts with the last scalar", #Predicate<Specimen> { $0.string.starts(with: last) }),
                PredicateCase("starts with '5%'", #Predicate<Specimen> { $0.string.starts(with: "5%") }),
                PredicateCase("starts with ''", #Predicate<Specimen> { $0.string.starts(with: empty) }),
                PredicateCase("is empty", #Predicate<Specimen> { $0.string.isEmpty }),
                PredicateCase("is not empty", #Predicate<Specimen> { !$0.string.isEmpty }),
            ])
        }
    }

    static var search: StoreRule {
        StoreRule("localizedStandardContains ignores case and diacritics") { harness in
            try insertSearchSpecimens(harness)
            let texts = ["APPLE", "apfel", "Ä", "É", "a\0B", "%", "_", "\u{10FFFF}", ""]
            try harness.expectAgreement(
                texts.flatMap { text in
                    [
                        PredicateCase(
                            "finds '\(text)'", #Predicate<Specimen> { $0.string.localizedStandardContains(text) }),
                        PredicateCase(
                            "does not find '\(text)'",
                            #Predicate<Specimen> { !$0.string.localizedStandardContains(text) }),
                        PredicateCase(
                            "finds '\(text)' or nothing",
                            #Predicate<Specimen> { $0.optionalString?.localizedStandardContains(text) ?? true }),
                    ]
                })
        }
    }

    // MARK: Samples

    static func insertSearchSpecimens(_ harness: StoreHarness<Store>) throws {
        let context = harness.context()
        for specimen in Specimen.searchable(harness.features) { context.insert(specimen) }
        try context.save()
    }
}
