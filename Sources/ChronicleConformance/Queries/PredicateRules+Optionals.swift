import Chronicle
import Foundation

// Compound predicates and predicates on optional values.
extension StoreRule {
    static var conditions: StoreRule {
        StoreRule("conditions on nil values are true or false, as in Swift") { harness in
            try insertSearchSpecimens(harness)
            let seven: Int? = 7
            try harness.expectAgreement([
                PredicateCase("bool", #Predicate<Specimen> { $0.bool }),
                PredicateCase("!bool", #Predicate<Specimen> { !$0.bool }),
                PredicateCase("and", #Predicate<Specimen> { $0.int >= 7 && $0.string != "apple pie" }),
                PredicateCase("or", #Predicate<Specimen> { $0.int > 7 || $0.optionalInt == 1 }),
                PredicateCase(
                    "not or", #Predicate<Specimen> { !($0.optionalInt == seven || $0.optionalString == "Äpfel") }),
                PredicateCase("not and", #Predicate<Specimen> { !($0.optionalInt == seven && $0.bool) }),
                PredicateCase("not not equal", #Predicate<Specimen> { !($0.optionalInt != seven) }),
                PredicateCase("?:", #Predicate<Specimen> { $0.bool ? $0.int > 0 : $0.optionalInt == nil }),
                PredicateCase("== of conditions", #Predicate<Specimen> { $0.bool == ($0.int > 0) }),
                PredicateCase("true", #Predicate<Specimen> { _ in true }),
                PredicateCase("false", #Predicate<Specimen> { _ in false }),
            ])
            try harness.expectAgreement([
                PredicateCase("?? <", #Predicate<Specimen> { ($0.optionalInt ?? 0) < 5 }),
                PredicateCase("not ?? <", #Predicate<Specimen> { !(($0.optionalInt ?? 0) < 5) }),
                PredicateCase("?? of a property", #Predicate<Specimen> { ($0.optionalInt ?? $0.int) == 7 }),
                PredicateCase("?? of a text", #Predicate<Specimen> { ($0.optionalString ?? "apple") == "apple" }),
                PredicateCase(
                    "if let", #Predicate<Specimen> { if let int = $0.optionalInt { int > 0 } else { $0.bool } }),
                PredicateCase("flatMap", #Predicate<Specimen> { $0.optionalString?.contains("p") ?? false }),
                PredicateCase("flatMap or true", #Predicate<Specimen> { $0.optionalString?.contains("p") ?? true }),
                PredicateCase("flatMap == nil", #Predicate<Specimen> { $0.optionalString?.isEmpty == nil }),
                PredicateCase("flatMap != true", #Predicate<Specimen> { $0.optionalString?.isEmpty != true }),
                PredicateCase("!", #Predicate<Specimen> { $0.optionalInt != nil && $0.optionalInt! > 1 }),
            ])
        }
    }

    static var arithmetic: StoreRule {
        StoreRule("arithmetic in predicates agrees with Swift") { harness in
            let context = harness.context()
            // None of these values causes an overflow.
            for (index, pages) in [-7, -1, 0, 1, 3, 8].enumerated() {
                context.insert(Book("\(index)", pages: pages, rating: pages > 0 ? Double(pages) / 2 : nil))
            }
            try context.save()
            let two = 2.0
            try harness.expectAgreement([
                PredicateCase("pages + 1 > 1", #Predicate<Book> { $0.pages + 1 > 1 }),
                PredicateCase("pages - 1 == 2", #Predicate<Book> { $0.pages - 1 == 2 }),
                PredicateCase("pages * pages == 49", #Predicate<Book> { $0.pages * $0.pages == 49 }),
                PredicateCase("-pages > 0", #Predicate<Book> { -$0.pages > 0 }),
                PredicateCase("pages / 2 == 1", #Predicate<Book> { $0.pages / 2 == 1 }),
                PredicateCase("pages / 2 == -3", #Predicate<Book> { $0.pages / 2 == -3 }),
                PredicateCase("pages % 2 == 1", #Predicate<Book> { $0.pages % 2 == 1 }),
                PredicateCase("pages % 2 == -1", #Predicate<Book> { $0.pages % 2 == -1 }),
                PredicateCase("rating * 2 == 3", #Predicate<Book> { ($0.rating ?? 0) * 2 == 3 }),
                PredicateCase("rating / 2 < 1", #Predicate<Book> { ($0.rating ?? 0) / two < 1 }),
                PredicateCase(
                    "rating - 0.5 > 0",
                    #Predicate<Book> { if let rating = $0.rating { rating - 0.5 > 0 } else { false } }),
            ])
        }
    }
}
