import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCore

/// Rows that a builder packs, compared with arrays of the same values.
@Suite("Rows of stores")
struct DataStoreRowTests {
    @Test("Packed rows contain the values that were set")
    func randomRows() throws {
        for number in 0..<50 {
            var random = TestSeed.generator(number)
            let slotCount = random.below(20)
            let builder = DataStoreRowBuilder(slotCount: slotCount)
            var rows: [(row: DataStoreRow, values: [PropertyValue])] = []
            for _ in 0..<60 {
                var values = (0..<slotCount).map { _ in random.value() }
                // In any order, some of them twice, and some not at all.
                for slot in values.indices.shuffled(using: &random) {
                    if random.below(4) == 0 { builder.set(random.value(), at: slot) }
                    if values[slot].isNull, random.below(2) == 0 { builder.setNull(at: slot) }
                    builder.set(values[slot], at: slot)
                }
                if slotCount > 0, random.below(3) == 0 {
                    let slot = random.below(slotCount)
                    values[slot] = random.value()
                    builder.set(values[slot], at: slot)
                }
                rows.append((builder.finish(), values))
            }
            // Later rows must not change earlier ones.
            for (index, (row, values)) in rows.enumerated() {
                let description = "\(TestSeed.description), builder \(number), row \(index)"
                #expect(Array(row) == values && row.values == values, "\(description)")
                #expect(row == DataStoreRow(values) && DataStoreRow(values) == row, "\(description)")
                #expect(values.indices.allSatisfy { row.formBit($0) == values[$0].formBit }, "\(description)")
                try checkDifference(row, values, &random, description)
            }
        }
    }

    /// Changes one value, and requires that the rows differ.
    private func checkDifference(
        _ row: DataStoreRow, _ values: [PropertyValue], _ random: inout SplitMix, _ description: String
    ) throws {
        guard let slot = values.indices.randomElement(using: &random) else { return }
        var other = values
        other[slot] = random.value()
        let builder = DataStoreRowBuilder(slotCount: values.count)
        for slot in other.indices { builder.set(other[slot], at: slot) }
        let packed = builder.finish()
        let isEqual = other[slot] == values[slot]
        #expect((row == packed) == isEqual, "\(description)")
        #expect((row == DataStoreRow(other)) == isEqual, "\(description)")
        #expect((packed == DataStoreRow(values)) == isEqual, "\(description)")
        var changed = row
        changed.values[slot] = other[slot]
        #expect(changed == packed && row.values == values, "\(description)")
    }

    @Test("Values that are not set are null")
    func unsetValues() {
        let builder = DataStoreRowBuilder(slotCount: 9)
        builder.set(integer: 1, at: 8)
        #expect(Array(builder.finish()) == Array(repeating: .null, count: 8) + [.integer(1)])
        #expect(Array(builder.finish()) == Array(repeating: .null, count: 9))
        #expect(DataStoreRowBuilder(slotCount: 0).finish().isEmpty)
    }

    @Test("Rows with null values are equal, whatever their memory contained before")
    func equalNulls() {
        let builder = DataStoreRowBuilder(slotCount: 2)
        // A row with a long text has a block of its own. The next row then uses the memory where this one began.
        builder.set(integer: 5, at: 0)
        builder.set(.text(String(repeating: "x", count: 2_000)), at: 1)
        _ = builder.finish()
        builder.set(integer: 1, at: 1)
        let unset = builder.finish()
        builder.setNull(at: 0)
        builder.set(integer: 1, at: 1)
        #expect(unset == builder.finish())
    }

    @Test("Invalid UTF-8 is repaired when the string is created")
    func invalidText() {
        let builder = DataStoreRowBuilder(slotCount: 1)
        for bytes: [UInt8] in [[0xFF], Array(repeating: 0xFF, count: 2_000)] {
            bytes.withUnsafeBytes { builder.set(text: $0, at: 0) }
            #expect(Array(builder.finish()) == [.text(String(decoding: bytes, as: UTF8.self))])
        }
    }

    @Test("Rows of different lengths differ")
    func lengths() {
        let empty = DataStoreRowBuilder(slotCount: 0).finish()
        let one = DataStoreRowBuilder(slotCount: 1).finish()
        #expect(empty == DataStoreRow([]) && one == DataStoreRow([.null]))
        #expect(empty != one && one != DataStoreRow([]) && empty != DataStoreRow([.null]))
    }

    @Test("Reals are compared by their bits")
    func bits() {
        func row(_ real: Double) -> DataStoreRow {
            let builder = DataStoreRowBuilder(slotCount: 1)
            builder.set(real: real, at: 0)
            return builder.finish()
        }
        #expect(row(0) != row(-0.0) && row(0) == DataStoreRow([.real(0)]) && row(0) != DataStoreRow([.real(-0.0)]))
        #expect(row(.nan) == row(.nan) && row(.nan) == DataStoreRow([.real(.nan)]))
    }

    @Test("A snapshot encodes its row as values")
    func coding() throws {
        let identifier = PersistentIdentifier.Origin(storeIdentifier: "s", entityName: "Trip").identifier(1)
        let builder = DataStoreRowBuilder(slotCount: 2)
        builder.set(.text("Rome"), at: 0)
        let packed = DefaultSnapshot(persistentIdentifier: identifier, row: builder.finish(), changed: PropertySet())
        let plain = DefaultSnapshot(
            persistentIdentifier: identifier, values: [.text("Rome"), .null], changed: PropertySet())
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try encoder.encode(packed) == encoder.encode(plain))
        let json = try #require(JSONSerialization.jsonObject(with: encoder.encode(packed)) as? [String: Any])
        #expect(json.keys.sorted() == ["changed", "persistentIdentifier", "values"])
        let decoded = try JSONDecoder().decode(DefaultSnapshot.self, from: encoder.encode(packed))
        #expect(decoded.row == packed.row && decoded.values == plain.values)
    }
}

extension SplitMix {
    private static let origins = (0..<60).map {
        PersistentIdentifier.Origin(storeIdentifier: "s", entityName: "E\($0)")
    }

    /// Returns a value of any form: texts and blobs of the lengths at which their storage changes, and references with
    /// more origins than a block of rows contains.
    fileprivate mutating func value() -> PropertyValue {
        let lengths = [0, 1, 14, 15, 16, 17, 100, 1_023, 1_024, 1_025, 5_000]
        switch below(10) {
        case 0: return .null
        case 1: return .integer(Int64(bitPattern: next()))
        case 2: return .real(Double(bitPattern: next()))
        case 3, 4: return .text(String(repeating: pick(["x", "é", "\0", "🗺️"]), count: pick(lengths)))
        case 5: return .blob(Data(repeating: UInt8(below(256)), count: pick(lengths)))
        case 6, 7: return .reference(reference(to: below(3)))
        case 8: return .reference(reference(to: below(60)))
        default: return .references((0..<below(3)).map { reference(to: $0) })
        }
    }

    private mutating func reference(to entity: Int) -> PersistentIdentifier {
        // As in most stores, one origin for each entity.
        if below(2) == 0 { return Self.origins[entity].identifier(Int64(below(100))) }
        let key = below(20) == 0 ? "\(below(9))" : nil
        return PersistentIdentifier.Origin(storeIdentifier: "s", entityName: "E\(entity)", key: key)
            .identifier(Int64(below(100)))
    }
}
