import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The history preserves values of every type of attribute.
@Suite struct PreservedTypeTests {
    typealias Specimen = FixtureModels.Specimen

    /// Access to an attribute of any type. Values are compared by their descriptions, in which NaN equals NaN.
    private struct Attribute {
        let copy: (_ source: Specimen, _ destination: Specimen) -> Void
        let value: (Specimen) -> String
        let inserted: (DefaultHistoryInsert<Specimen>) -> String?
        let previous: (DefaultHistoryUpdate<Specimen>) -> String?
        let updated: (DefaultHistoryUpdate<Specimen>) -> String?
        let deleted: (HistoryTombstone<Specimen>) -> String?
    }

    private static func attribute<Value>(_ keyPath: ReferenceWritableKeyPath<Specimen, Value>) -> Attribute {
        func text(_ value: Value) -> String { description(of: value) }
        return Attribute(
            copy: { $1[keyPath: keyPath] = $0[keyPath: keyPath] },
            value: { text($0[keyPath: keyPath]) }, inserted: { $0.value(keyPath).map(text) },
            previous: { $0.previousValue(keyPath).map(text) }, updated: { $0.value(keyPath).map(text) },
            deleted: { $0[keyPath].map(text) })
    }

    private static func description(of value: Any) -> String {
        switch value {
        // SQLite stores -0.0 as 0.0.
        case let value as Double: "\(value + 0) \(value.isNaN ? value.bitPattern : 0)"
        case let value as Float: "\(value + 0) \(value.isNaN)"
        case let value as [String: Int]: "\(value.sorted { $0.key < $1.key })"
        case let value as Data: "\(Array(value))"
        case let value as Date: "\(value.timeIntervalSinceReferenceDate + 0)"
        case let value as URL: value.absoluteString
        default: String(reflecting: value)
        }
    }

    private let attributes = [
        Self.attribute(\.bool), Self.attribute(\.int), Self.attribute(\.int8), Self.attribute(\.int16),
        Self.attribute(\.int32),
        Self.attribute(\.int64), Self.attribute(\.int128), Self.attribute(\.uint), Self.attribute(\.uint8),
        Self.attribute(\.uint16),
        Self.attribute(\.uint32), Self.attribute(\.uint64), Self.attribute(\.uint128), Self.attribute(\.float),
        Self.attribute(\.double),
        Self.attribute(\.string), Self.attribute(\.date), Self.attribute(\.data), Self.attribute(\.uuid),
        Self.attribute(\.url),
        Self.attribute(\.decimal), Self.attribute(\.mood), Self.attribute(\.shade), Self.attribute(\.flags),
        Self.attribute(\.shape),
        Self.attribute(\.place), Self.attribute(\.strings), Self.attribute(\.numbers), Self.attribute(\.counts),
        Self.attribute(\.places),
        Self.attribute(\.optionalBool), Self.attribute(\.optionalInt), Self.attribute(\.optionalInt8),
        Self.attribute(\.optionalInt16),
        Self.attribute(\.optionalInt32), Self.attribute(\.optionalInt64), Self.attribute(\.optionalInt128),
        Self.attribute(\.optionalUInt), Self.attribute(\.optionalUInt8), Self.attribute(\.optionalUInt16),
        Self.attribute(\.optionalUInt32), Self.attribute(\.optionalUInt64), Self.attribute(\.optionalUInt128),
        Self.attribute(\.optionalFloat), Self.attribute(\.optionalDouble), Self.attribute(\.optionalString),
        Self.attribute(\.optionalDate), Self.attribute(\.optionalData), Self.attribute(\.optionalUUID),
        Self.attribute(\.optionalURL),
        Self.attribute(\.optionalDecimal), Self.attribute(\.optionalMood), Self.attribute(\.optionalShade),
        Self.attribute(\.optionalFlags), Self.attribute(\.optionalShape), Self.attribute(\.optionalPlace),
        Self.attribute(\.optionalStrings), Self.attribute(\.optionalNumbers), Self.attribute(\.optionalCounts),
        Self.attribute(\.optionalPlaces),
    ]

    /// All types of models are saved with each of the five sets of values, and then changed to each other set.
    @Test(arguments: PreservedStore.allCases) func valuesOfEveryType(_ kind: PreservedStore) throws {
        let directory = try TemporaryDirectory()
        let context = ModelContext(try kind.container(FixtureModels.types, directory))
        // In another file: the values as they are read from a store.
        let sources = ModelContext(try kind.container(FixtureModels.types, TemporaryDirectory()))
        for code in 0..<5 { sources.insert(FixtureWriter.specimen(code)) }
        try sources.save()
        let read = ModelContext(sources.container)
        let values = try read.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Specimen.code)]))
        var token = try context.currentHistoryToken()
        for old in 0..<5 {
            for new in 0..<5 where new != old {
                let model = FixtureWriter.specimen(old)
                let expected = FixtureWriter.specimen(new)
                context.insert(model)
                try context.save()
                for attribute in attributes { attribute.copy(expected, model) }
                try context.save()
                context.delete(model)
                try context.save()
                let last = token
                let changes = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > last })).flatMap(
                    \.changes)
                token = try context.currentHistoryToken()
                guard changes.count == 3, case .insert(let first) = changes[0], case .update(let second) = changes[1],
                    case .delete(let third) = changes[2], let insert = first as? DefaultHistoryInsert<Specimen>,
                    let update = second as? DefaultHistoryUpdate<Specimen>,
                    let delete = third as? DefaultHistoryDelete<Specimen>
                else {
                    Issue.record("\(changes)")
                    return
                }
                for (index, attribute) in attributes.enumerated() {
                    let (before, after) = (attribute.value(values[old]), attribute.value(values[new]))
                    let comment: Comment = "attribute \(index) from \(old) to \(new)"
                    #expect(attribute.inserted(insert) == before, comment)
                    #expect(attribute.previous(update) == (before == after ? nil : before), comment)
                    #expect(attribute.updated(update) == (before == after ? nil : after), comment)
                    #expect((attribute.deleted(delete.tombstone) ?? "nil") == after, comment)
                }
                let changed = attributes.count { $0.value(values[old]) != $0.value(values[new]) }
                #expect(update.preservedValues.count == changed)
                #expect(update.updatedAttributeNames == update.preservedValues.map(\.name))
            }
        }
    }
}
