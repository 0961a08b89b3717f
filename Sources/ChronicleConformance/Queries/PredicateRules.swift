import Chronicle
import Foundation

extension StoreRule {
    /// What is asked for is found, and nothing else. The judge is `Predicate.evaluate`; rows, identifiers and counts have
    /// to agree with it. A store that leaves filtering to the context (``DataStoreError/preferInMemoryFilter``) keeps
    /// these rules by that.
    ///
    /// Texts are such that their scalars and their characters say the same.
    public static var predicates: [StoreRule] {
        [equality, order, membership, text, search, conditions, arithmetic, toOnePredicates, toManyPredicates]
    }

    static var equality: StoreRule {
        StoreRule("== and != find what they say, on every type, nil included") { bench in
            try insertSought(bench)
            typealias Ask = Question<Specimen>
            let (day, id) = (Date(timeIntervalSinceReferenceDate: 7), Specimen.sought()[2].uuid)
            let place = Specimen.Place(street: "Zebra", numbers: [1], since: nil)
            try bench.expectAgreement(
                Ask.equality("bool", \.bool, true) + Ask.equality("shade", \.shade, .dark)
                    + Ask.equality("int", \.int, 7, .min, .max, 3) + Ask.equality("int8", \.int8, 7, .max)
                    + Ask.equality("int16", \.int16, .min) + Ask.equality("int32", \.int32, 100)
                    + Ask.equality("int64", \.int64, .max) + Ask.equality("uint8", \.uint8, 255, 0)
                    + Ask.equality("uint64", \.uint64, 7) + Ask.equality("double", \.double, 0, 7, .infinity, .nan)
                    + Ask.equality("float", \.float, 0.1, -.infinity) + Ask.equality("date", \.date, day))
            try bench.expectAgreement(
                Ask.equality("string", \.string, "apple", "", "Apple", "a\0b", "Äpfel")
                    + Ask.equality("data", \.data, Data("a\0b".utf8), Data()) + Ask.equality("uuid", \.uuid, id, UUID())
                    + Ask.equality("url", \.url, URL(filePath: "/2")) + Ask.equality("place", \.place, place)
                    + Ask.equality("decimal", \.decimal, Decimal(3) / 10)
                    + Ask.equality("array", \.array, ["apple pie"], []))
            try bench.expectAgreement(
                Ask.equality("optionalInt", \.optionalInt, nil, 7, 3)
                    + Ask.equality("optionalDouble", \.optionalDouble, nil, 7, .nan)
                    + Ask.equality("optionalString", \.optionalString, nil, "apple", "")
                    + Ask.equality("optionalDate", \.optionalDate, nil, day)
                    + Ask.equality("optionalData", \.optionalData, nil, Data("apple".utf8)))
        }
    }

    static var order: StoreRule {
        StoreRule("<, <=, > and >= find what they say, on every type that has an order") { bench in
            try insertSought(bench)
            typealias Ask = Question<Specimen>
            let (day, id) = (Date(timeIntervalSinceReferenceDate: 0.1), Specimen.sought()[4].uuid)
            try bench.expectAgreement(
                Ask.order("int", \.int, 7, 0, .min, .max) + Ask.order("int8", \.int8, 7)
                    + Ask.order("int16", \.int16, 100) + Ask.order("int32", \.int32, -7)
                    + Ask.order("int64", \.int64, 1)
                    + Ask.order("uint8", \.uint8, 7) + Ask.order("uint64", \.uint64, 100)
                    + Ask.order("double", \.double, 0, 7, .infinity, .nan) + Ask.order("float", \.float, 7))
            try bench.expectAgreement(
                Ask.order("string", \.string, "apple", "", "b", "apple pie", "Zz")
                    + Ask.order("date", \.date, day, .distantFuture) + Ask.order("uuid", \.uuid, id))
        }
    }

    static var membership: StoreRule {
        StoreRule("lists and ranges contain what they say") { bench in
            try insertSought(bench)
            let (integers, texts, none) = ([7, 100, -1], Set(["apple", "Äpfel", ""]), [Int]())
            let (optionals, reals): ([Int?], [Double?]) = ([7, nil], [7, .nan])
            let (closed, open, from) = (0...7, 0..<7, 7...)
            let days = Date(timeIntervalSinceReferenceDate: 0)..<Date(timeIntervalSinceReferenceDate: 7)
            let ids = Specimen.sought()[2...3].map(\.uuid)
            try bench.expectAgreement([
                Question("int in [7, 100, -1]", #Predicate<Specimen> { integers.contains($0.int) }),
                Question("int not in [7, 100, -1]", #Predicate<Specimen> { !integers.contains($0.int) }),
                Question("int in []", #Predicate<Specimen> { none.contains($0.int) }),
                Question("string in a set", #Predicate<Specimen> { texts.contains($0.string) }),
                Question("uuid in a list", #Predicate<Specimen> { ids.contains($0.uuid) }),
                Question("optionalInt in [7, nil]", #Predicate<Specimen> { optionals.contains($0.optionalInt) }),
                Question("optionalInt not in [7, nil]", #Predicate<Specimen> { !optionals.contains($0.optionalInt) }),
                Question("optionalDouble in [7, NaN]", #Predicate<Specimen> { reals.contains($0.optionalDouble) }),
                Question("optionalDouble not in [7, NaN]", #Predicate<Specimen> { !reals.contains($0.optionalDouble) }),
                Question("int in 0...7", #Predicate<Specimen> { closed.contains($0.int) }),
                Question("int in 0..<7", #Predicate<Specimen> { open.contains($0.int) }),
                Question("int not in 7...", #Predicate<Specimen> { !from.contains($0.int) }),
                Question("date in a range", #Predicate<Specimen> { days.contains($0.date) }),
            ])
        }
    }

    static var text: StoreRule {
        StoreRule("texts are looked into as they are: no case or accent is passed over, no character is special") {
            bench in
            try insertSought(bench)
            let (empty, zero, last) = ("", "a\0", "z\u{10FFFF}")
            try bench.expectAgreement([
                Question("contains 'pp'", #Predicate<Specimen> { $0.string.contains("pp") }),
                Question("contains 'PP'", #Predicate<Specimen> { $0.string.contains("PP") }),
                Question("does not contain 'pp'", #Predicate<Specimen> { !$0.string.contains("pp") }),
                Question("contains 'a'", #Predicate<Specimen> { $0.string.contains("a") }),
                Question("contains 'A'", #Predicate<Specimen> { $0.string.contains("A") }),
                Question("contains ''", #Predicate<Specimen> { $0.string.contains(empty) }),
                Question("contains NUL", #Predicate<Specimen> { $0.string.contains(zero) }),
                Question("contains '%'", #Predicate<Specimen> { $0.string.contains("%") }),
                Question("contains '_'", #Predicate<Specimen> { $0.string.contains("_") }),
                Question("contains '0_'", #Predicate<Specimen> { $0.string.contains("0_") }),
                Question("starts with 'apple'", #Predicate<Specimen> { $0.string.starts(with: "apple") }),
                Question("starts with 'Apple'", #Predicate<Specimen> { $0.string.starts(with: "Apple") }),
                Question("starts with 'Ä'", #Predicate<Specimen> { $0.string.starts(with: "Ä") }),
                Question("starts with the last scalar", #Predicate<Specimen> { $0.string.starts(with: last) }),
                Question("starts with '5%'", #Predicate<Specimen> { $0.string.starts(with: "5%") }),
                Question("starts with ''", #Predicate<Specimen> { $0.string.starts(with: empty) }),
                Question("is empty", #Predicate<Specimen> { $0.string.isEmpty }),
                Question("is not empty", #Predicate<Specimen> { !$0.string.isEmpty }),
            ])
        }
    }

    static var search: StoreRule {
        StoreRule("localizedStandardContains finds texts of whatever case, with whatever diacritics") { bench in
            try insertSought(bench)
            let texts = ["APPLE", "apfel", "Ä", "É", "a\0B", "%", "_", "\u{10FFFF}", ""]
            try bench.expectAgreement(
                texts.flatMap { text in
                    [
                        Question(
                            "finds '\(text)'", #Predicate<Specimen> { $0.string.localizedStandardContains(text) }),
                        Question(
                            "does not find '\(text)'",
                            #Predicate<Specimen> { !$0.string.localizedStandardContains(text) }),
                        Question(
                            "finds '\(text)' or nothing",
                            #Predicate<Specimen> { $0.optionalString?.localizedStandardContains(text) ?? true }),
                    ]
                })
        }
    }

    // MARK: Samples

    static func insertSought(_ bench: StoreBench<Store>) throws {
        let context = bench.context()
        for specimen in Specimen.sought() { context.insert(specimen) }
        try context.save()
    }
}
