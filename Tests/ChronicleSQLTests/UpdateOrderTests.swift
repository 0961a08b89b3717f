import Chronicle
import ChronicleSQL
import ChronicleTestSupport
import Testing

/// The order of updates that need the unique values of each other.
@Suite("Updates: order") struct UpdateOrderTests {
    private func snapshots(_ keys: some Sequence<Int64>) -> [DefaultSnapshot] {
        let origin = PersistentIdentifier.Origin(storeIdentifier: "store", entityName: "Stay")
        return keys.map {
            DefaultSnapshot(persistentIdentifier: origin.identifier($0), values: [], changed: PropertySet())
        }
    }

    private func keys(_ snapshots: [DefaultSnapshot]) -> [Int64] {
        snapshots.compactMap(\.persistentIdentifier.integerPrimaryKey)
    }

    /// Each row needs the value of the row with the next key.
    @Test func ownersPrecedeTheRowsThatNeedTheirValues() {
        var random = TestSeed.generator(0)
        var calls = 0
        let ordered = snapshots((0..<5_000).shuffled(using: &random)).orderedForUpdate { snapshot in
            calls += 1
            return [(snapshot.persistentIdentifier.integerPrimaryKey ?? 0) + 1]
        }
        #expect(keys(ordered) == (0..<5_000).reversed())
        #expect(calls == 5_000)
    }

    @Test func rowCanNeedTheValuesOfSeveralRows() {
        let owners: [Int64: [Int64]] = [1: [2, 3], 2: [4], 3: [4]]
        let ordered = keys(
            snapshots(1...4).orderedForUpdate { owners[$0.persistentIdentifier.integerPrimaryKey ?? 0] ?? [] })
        #expect(ordered.first == 4 && ordered.last == 1 && ordered.count == 4)
    }

    @Test func rowsThatExchangeTheirValuesAreReturned() {
        let ordered = snapshots([1, 2, 3]).orderedForUpdate { snapshot in
            switch snapshot.persistentIdentifier.integerPrimaryKey {
            case 1: [2]
            case 2: [1, 2]
            // A row that is not updated.
            default: [7]
            }
        }
        #expect(keys(ordered).sorted() == [1, 2, 3])
    }
}
