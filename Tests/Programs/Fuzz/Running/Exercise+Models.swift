import Chronicle
import Foundation

extension Exercise {
    mutating func readModels(_ context: ModelContext) {
        outcomes.attempt("fetch samples") { try context.fetch(FetchDescriptor<Sample>()).reduce(0) { $0 ^ $1.read() } }
        outcomes.attempt("fetch owners") { try context.fetch(FetchDescriptor<Owner>()).map { $0.read() } }
        outcomes.attempt("prefetch") {
            var descriptor = FetchDescriptor<Owner>(sortBy: [SortDescriptor(\.name, order: .reverse)])
            descriptor.relationshipKeyPathsForPrefetching = [\.parts, \.labels, \.friends, \.passport]
            return try context.fetch(descriptor).map { $0.read() }
        }
        outcomes.attempt("fetch some") {
            var descriptor = FetchDescriptor<Sample>(
                predicate: #Predicate { $0.number > 2 && $0.name.contains("a") && $0.note != "x" },
                sortBy: [SortDescriptor(\.date), SortDescriptor(\.number, order: .reverse)])
            descriptor.fetchLimit = 3
            descriptor.fetchOffset = 1
            return try context.fetch(descriptor).map { $0.read() }
        }
        outcomes.attempt("fetch by relationship") {
            try context.fetch(FetchDescriptor<Part>(predicate: #Predicate { $0.owner?.name == "renamed" })).map(\.name)
        }
        outcomes.attempt("fetch by links") {
            let descriptor = FetchDescriptor<Owner>(
                predicate: #Predicate { $0.labels.contains { $0.name == "label 3" } })
            return try context.fetch(descriptor).map { $0.read() }
        }
        outcomes.attempt("fetch passports") {
            try context.fetch(FetchDescriptor<Passport>()).map { ($0.number, $0.owner?.name) }
        }
        outcomes.attempt("fetch tickets") {
            try context.fetch(FetchDescriptor<Ticket>()).map { ($0.price, $0.owner?.name) }
        }
        outcomes.attempt("count") { try context.fetchCount(FetchDescriptor<Sample>()) }
        outcomes.attempt("count some") {
            try context.fetchCount(FetchDescriptor<Part>(predicate: #Predicate { $0.whole == nil }))
        }
        let identifiers = outcomes.attempt("identifiers") { try context.fetchIdentifiers(FetchDescriptor<Owner>()) }
        let samples = outcomes.attempt("sample identifiers") {
            try context.fetchIdentifiers(FetchDescriptor<Sample>())
        }
        for identifier in (samples ?? []).prefix(20) {
            outcomes.attempt("existing sample") { (try context.existingModel(for: identifier) as? Sample)?.read() }
        }
        for identifier in (identifiers ?? []).prefix(2) {
            outcomes.attempt("existing model") { try context.existingModel(for: identifier) }
            _ = context.model(for: identifier).persistentModelID
        }
        outcomes.attempt("enumerate") {
            try context.enumerate(FetchDescriptor<Label>(), batchSize: 2, allowEscapingMutations: true) {
                _ = $0.owners.count
            }
        }
    }
}
