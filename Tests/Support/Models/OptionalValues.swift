package import Chronicle
package import Foundation

/// A model with optional values of which an empty one could be confused with `nil`.
@Model
package final class OptionalValues {
    package var text: String?
    package var data: Data?
    package var only: Only?
    package var place: Place?
    package var kind: Kind?
    package var list: [Int]?
    package var optionals: [Int?]?
    package var counts: [String: Int?]?

    /// A structure whose only member is optional.
    package struct Only: Codable, Equatable, Sendable { package var text: String? }
    package struct Place: Codable, Equatable, Sendable { package var city: String?, zip: Int?, only: Only? }
    package enum Kind: Codable, Equatable, Sendable { case empty, value(Int?), pair(String?, Only?) }

    package init() {}

    /// Saves every value of every attribute after every other one, and returns what a reader does not find as it was saved.
    ///
    /// - Parameters:
    ///   - container: A store that preserves values.
    ///   - replica: A store to which the history is replayed.
    package static func differences(in container: ModelContainer, replica: ModelContainer) throws -> [String] {
        var harness = try Harness(container)
        try harness.check(\.text, "text", nil, "", "null")
        try harness.check(\.data, "data", nil, Data(), Data([0]))
        try harness.check(\.only, "only", nil, Only(text: nil), Only(text: ""))
        try harness.check(
            \.place, "place", nil, Place(), Place(city: ""), Place(only: Only()),
            Place(city: "", zip: 0, only: Only(text: "")))
        try harness.check(
            \.kind, "kind", nil, .empty, .value(nil), .value(0), .pair(nil, nil), .pair("", Only()))
        try harness.check(\.list, "list", nil, [], [0])
        try harness.check(\.optionals, "optionals", nil, [], [nil], [nil, 0])
        try harness.check(\.counts, "counts", nil, [:], ["": nil], ["": 0])
        try harness.replay(to: replica)
        return harness.differences
    }

    private struct Harness {
        let container: ModelContainer
        let context: ModelContext
        let model: OptionalValues
        var differences: [String] = []

        init(_ container: ModelContainer) throws {
            self.container = container
            context = ModelContext(container)
            model = OptionalValues()
            context.insert(model)
            try context.save()
        }

        private mutating func expect<Value: Equatable>(_ found: Value?, _ expected: Value, _ place: String) {
            if found != .some(expected) {
                differences.append("\(place): \(String(describing: found)), not \(expected)")
            }
        }

        private func read(_ context: ModelContext) throws -> OptionalValues? {
            try context.fetch(FetchDescriptor<OptionalValues>()).first
        }

        mutating func check<Value: Equatable & Sendable>(
            _ keyPath: ReferenceWritableKeyPath<OptionalValues, Value?>, _ name: String, _ values: Value?...
        ) throws {
            for old in values {
                for new in values where new != old {
                    model[keyPath: keyPath] = old
                    if context.hasChanges { try context.save() }
                    let before = try context.currentHistoryToken()
                    model[keyPath: keyPath] = new
                    try context.save()
                    let after = try context.currentHistoryToken()
                    let place = "\(name) from \(String(describing: old)) to \(String(describing: new))"
                    expect(try read(ModelContext(container))?[keyPath: keyPath], new, "\(place), row")
                    expect(try read(ModelContext(container, asOf: before))?[keyPath: keyPath], old, "\(place), as of")
                    let changes = try context.fetchHistory(.after(before)).flatMap(\.changes)
                    guard changes.count == 1,
                        case .update(let update as DefaultHistoryUpdate<OptionalValues>) = changes[0]
                    else {
                        differences.append("\(place): \(changes)")
                        continue
                    }
                    expect(update.previousValue(keyPath), old, "\(place), previous value")
                    expect(update.value(keyPath), new, "\(place), new value")
                    let change = try context.changes(between: before, and: after).first
                    expect(change?.previousValue(keyPath), old, "\(place), previous value of the comparison")
                    expect(change?.value(keyPath), new, "\(place), new value of the comparison")
                }
                let deleted = OptionalValues()
                deleted[keyPath: keyPath] = old
                context.insert(deleted)
                try context.save()
                let before = try context.currentHistoryToken()
                context.delete(deleted)
                try context.save()
                guard let transaction = try context.fetchHistory(.after(before)).first,
                    case .delete(let delete as DefaultHistoryDelete<OptionalValues>)? = transaction.changes.first
                else {
                    differences.append("\(name): no delete")
                    continue
                }
                // Tombstones do not contain `nil`.
                expect(delete.tombstone[keyPath] ?? .some(nil), old, "\(name), tombstone")
                try context.revert(transaction)
                try context.save()
                let identifier = deleted.persistentModelID
                let restored = try ModelContext(container).existingModel(for: identifier) as? OptionalValues
                expect(restored?[keyPath: keyPath], old, "\(name), restored")
                try context.delete(model: OptionalValues.self, where: #Predicate { $0.persistentModelID == identifier })
            }
        }

        mutating func replay(to replica: ModelContainer) throws {
            var data = Data()
            try container.exportHistory { data.append($0) }
            var rest: Data? = data
            try replica.replayHistory {
                defer { rest = nil }
                return rest
            }
            let (found, expected) = try (read(ModelContext(replica)), read(ModelContext(container)))
            expect(found?.place, expected?.place ?? nil, "replica")
            expect(found?.kind, expected?.kind ?? nil, "replica")
        }
    }
}
