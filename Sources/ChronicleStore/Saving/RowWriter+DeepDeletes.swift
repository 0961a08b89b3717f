import ChronicleCore

// Deletes of rows that reference each other in long chains.
extension RowWriter {
    /// Deletes each row before the rows that it references, so that nothing is left to cascade to. If a cycle of references
    /// is longer than SQLite can cascade, a reference of one of its rows is removed first, which the history records as an
    /// update before the delete.
    mutating func deleteReferencingRowsFirst(_ snapshots: [DefaultSnapshot], _ runs: [Run]) throws {
        for (rows, table) in runs.reversed() where !table.isReferenced {
            try snapshots[rows].withUnsafeBufferPointer { try deleteRanges($0.pointers, table) }
        }
        var order = DeleteOrder(snapshots, runs.filter { $0.table.isReferenced })
        while let step = order.next() {
            switch step {
            case .delete(let position):
                try withUnsafePointer(to: snapshots[position]) { try deleteRow($0, tables.table(of: $0)) }
            case .removeReferences(let position, let slots):
                try removeReferences(slots, of: snapshots[position])
            }
        }
    }

    private mutating func removeReferences(_ slots: [Int], of snapshot: DefaultSnapshot) throws {
        var values = snapshot.values
        var changed = PropertySet()
        for slot in slots {
            values[slot] = .null
            changed.insert(slot)
        }
        let update = DefaultSnapshot(
            persistentIdentifier: snapshot.persistentIdentifier, values: values, changed: changed)
        try withUnsafePointer(to: update) { row in
            let table = try tables.table(of: row)
            // Another writer may have deleted the row.
            if try exists(key(row, table), table) { try updateRow(row, table) }
        }
    }
}

/// Each row comes before the rows that it references.
struct DeleteOrder {
    enum Step {
        case delete(Int)
        case removeReferences(Int, [Int])
    }

    private struct Reference {
        let slot: Int
        let isOptional: Bool
        let destination: Int
    }

    /// From so many rows on, a delete may cascade deeper than SQLite supports.
    static let maximumDepth = 1_000

    /// The references along which deletes cascade, by the position of their destination.
    private var references: [[Reference]]
    /// The positions of referrers by the position of their destination.
    private var referrers: [[Int]]
    private var counts: [Int]
    private var isDeleted: [Bool]
    private var ready: [Int] = []
    /// The first position that was not searched for references to remove, and the first that may not be deleted.
    private var (first, last) = (0, 0)

    init(_ snapshots: [DefaultSnapshot], _ runs: [RowWriter.Run]) {
        references = Array(repeating: [], count: snapshots.count)
        referrers = Array(repeating: [], count: snapshots.count)
        counts = Array(repeating: 0, count: snapshots.count)
        isDeleted = Array(repeating: true, count: snapshots.count)
        var positions: [String: [Int64: Int]] = [:]
        for position in runs.lazy.flatMap(\.rows) {
            isDeleted[position] = false
            let identifier = snapshots[position].persistentIdentifier
            guard let key = identifier.integerPrimaryKey else { continue }
            positions[identifier.rootEntityName, default: [:]][key] = position
        }
        for (rows, table) in runs {
            for position in rows {
                // A replayed delete has no values.
                for slot in table.cascadeSlots where slot < snapshots[position].values.count {
                    guard case .reference(let identifier) = snapshots[position].values[slot],
                        let key = identifier.integerPrimaryKey,
                        let destination = positions[identifier.rootEntityName]?[key], destination != position
                    else { continue }
                    let isOptional = table.entity.storedProperties[slot].relationship?.isOptional == true
                    references[position].append(
                        Reference(slot: slot, isOptional: isOptional, destination: destination))
                    referrers[destination].append(position)
                    counts[destination] += 1
                }
            }
        }
        ready = runs.lazy.flatMap(\.rows).filter { counts[$0] == 0 }
    }

    /// `nil` if all rows were deleted.
    mutating func next() -> Step? {
        if let position = ready.popLast() { return delete(position) }
        // The remaining rows are part of cycles, or are referenced by such rows.
        while first < isDeleted.count {
            defer { first += 1 }
            if isDeleted[first] { continue }
            if !mayCascadeTooDeep(from: first) { return delete(first) }
            let slots = removeOptionalReferences(of: first)
            if !slots.isEmpty { return .removeReferences(first, slots) }
        }
        // All references of a cycle are required. SQLite throws an error if it cannot cascade along them.
        while last < isDeleted.count, isDeleted[last] { last += 1 }
        return last < isDeleted.count ? delete(last) : nil
    }

    private mutating func delete(_ position: Int) -> Step {
        isDeleted[position] = true
        for reference in references[position] { removeReferrer(of: reference.destination) }
        references[position] = []
        return .delete(position)
    }

    private mutating func removeOptionalReferences(of position: Int) -> [Int] {
        let removed = references[position].filter { $0.isOptional && !isDeleted[$0.destination] }
        references[position].removeAll(where: \.isOptional)
        for reference in removed {
            referrers[reference.destination].removeAll { $0 == position }
            removeReferrer(of: reference.destination)
        }
        return removed.map(\.slot)
    }

    private mutating func removeReferrer(of destination: Int) {
        counts[destination] -= 1
        if counts[destination] == 0, !isDeleted[destination] { ready.append(destination) }
    }

    private func mayCascadeTooDeep(from start: Int) -> Bool {
        var found: Set = [start]
        var next = [start]
        while let position = next.popLast() {
            for referrer in referrers[position] where !isDeleted[referrer] && found.insert(referrer).inserted {
                if found.count >= Self.maximumDepth { return true }
                next.append(referrer)
            }
        }
        return false
    }
}
