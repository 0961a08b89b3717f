import Chronicle
import Foundation

// Predicates that are made of others, and of what may be nil.
extension StoreRule {
    static var conditions: StoreRule {
        StoreRule("conditions are true or false and nothing else, whatever is nil") { bench in
            try insertSought(bench)
            let seven: Int? = 7
            try bench.expectAgreement([
                Question("bool", #Predicate<Specimen> { $0.bool }),
                Question("!bool", #Predicate<Specimen> { !$0.bool }),
                Question("and", #Predicate<Specimen> { $0.int >= 7 && $0.string != "apple pie" }),
                Question("or", #Predicate<Specimen> { $0.int > 7 || $0.optionalInt == 1 }),
                Question("not or", #Predicate<Specimen> { !($0.optionalInt == seven || $0.optionalString == "Äpfel") }),
                Question("not and", #Predicate<Specimen> { !($0.optionalInt == seven && $0.bool) }),
                Question("not not equal", #Predicate<Specimen> { !($0.optionalInt != seven) }),
                Question("?:", #Predicate<Specimen> { $0.bool ? $0.int > 0 : $0.optionalInt == nil }),
                Question("== of conditions", #Predicate<Specimen> { $0.bool == ($0.int > 0) }),
                Question("true", #Predicate<Specimen> { _ in true }),
                Question("false", #Predicate<Specimen> { _ in false }),
            ])
            try bench.expectAgreement([
                Question("?? <", #Predicate<Specimen> { ($0.optionalInt ?? 0) < 5 }),
                Question("not ?? <", #Predicate<Specimen> { !(($0.optionalInt ?? 0) < 5) }),
                Question("?? of a property", #Predicate<Specimen> { ($0.optionalInt ?? $0.int) == 7 }),
                Question("?? of a text", #Predicate<Specimen> { ($0.optionalString ?? "apple") == "apple" }),
                Question("if let", #Predicate<Specimen> { if let int = $0.optionalInt { int > 0 } else { $0.bool } }),
                Question("flatMap", #Predicate<Specimen> { $0.optionalString?.contains("p") ?? false }),
                Question("flatMap or true", #Predicate<Specimen> { $0.optionalString?.contains("p") ?? true }),
                Question("flatMap == nil", #Predicate<Specimen> { $0.optionalString?.isEmpty == nil }),
                Question("flatMap != true", #Predicate<Specimen> { $0.optionalString?.isEmpty != true }),
                Question("!", #Predicate<Specimen> { $0.optionalInt != nil && $0.optionalInt! > 1 }),
            ])
        }
    }

    static var arithmetic: StoreRule {
        StoreRule("predicates calculate as Swift does") { bench in
            let context = bench.context()
            // None of these overflows.
            for (index, pages) in [-7, -1, 0, 1, 3, 8].enumerated() {
                context.insert(Book("\(index)", pages: pages, rating: pages > 0 ? Double(pages) / 2 : nil))
            }
            try context.save()
            let two = 2.0
            try bench.expectAgreement([
                Question("pages + 1 > 1", #Predicate<Book> { $0.pages + 1 > 1 }),
                Question("pages - 1 == 2", #Predicate<Book> { $0.pages - 1 == 2 }),
                Question("pages * pages == 49", #Predicate<Book> { $0.pages * $0.pages == 49 }),
                Question("-pages > 0", #Predicate<Book> { -$0.pages > 0 }),
                Question("pages / 2 == 1", #Predicate<Book> { $0.pages / 2 == 1 }),
                Question("pages / 2 == -3", #Predicate<Book> { $0.pages / 2 == -3 }),
                Question("pages % 2 == 1", #Predicate<Book> { $0.pages % 2 == 1 }),
                Question("pages % 2 == -1", #Predicate<Book> { $0.pages % 2 == -1 }),
                Question("rating * 2 == 3", #Predicate<Book> { ($0.rating ?? 0) * 2 == 3 }),
                Question("rating / 2 < 1", #Predicate<Book> { ($0.rating ?? 0) / two < 1 }),
                Question(
                    "rating - 0.5 > 0",
                    #Predicate<Book> { if let rating = $0.rating { rating - 0.5 > 0 } else { false } }),
            ])
        }
    }
}
