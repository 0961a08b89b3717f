/// Compares the rows of a part of a chain with the lists of its seals. Stops at the first difference.
struct SealRowsWalk {
    /// A transaction whose hash differs, which can be another one of the same seal.
    struct Mismatch {
        let transaction: RecordedTransaction
        let hash: HistoryDigest
    }

    let hashing: any HistoryHashing
    var classes = SealedClasses(SealedCatalog(entities: [], attributes: []))
    /// Whether the last entry of the seal is a transaction that is not there.
    private(set) var endIsMissing = false
    /// Reused, because an array needs an allocation.
    var change = RecordedChange()
    /// The rows of erased values in the seal, by the event.
    var erased: [Int64: [RecordedRow]] = [:]
    private var mismatch: Mismatch?
    private var seal: Int64 = 0
    /// The last position of the previous seal or transaction, which the next one follows; `nil` if it is not known.
    private var previous: Int64?

    init(_ hashing: any HistoryHashing) { self.hashing = hashing }

    private func difference(
        _ kind: SealVerification.Difference.Kind, _ position: Int64?, _ detail: String
    ) -> SealVerification.Difference {
        SealVerification.Difference(kind, position: position, seal: seal, detail)
    }

    /// Compares the transactions up to the end of a seal with its list.
    mutating func compare<Reader: SealedHistoryReading>(
        _ recorded: RecordedSeal, after newest: SealedHistoryPart.Seal?, _ part: inout SealedHistoryPart,
        _ reader: inout Reader
    ) throws {
        (seal, mismatch, endIsMissing) = (recorded.number, nil, false)
        let isFirst = newest == nil
        previous = isFirst && seal > 1 ? nil : newest?.last ?? 0
        erased.removeAll(keepingCapacity: true)
        var omission = SealedHistoryPart.Omission(seal: seal)
        var index = 0
        let difference = try compare(
            recorded, isBoundary: isFirst && seal > 1, &omission, &index, &part, &reader)
        if difference == nil {
            for index in index..<recorded.entries.count {
                omission.missing.append((index, recorded.entries[index].position))
            }
            endIsMissing = omission.missing.last.map { $0.index == recorded.entries.count - 1 } ?? false
            try addErased(to: &omission, &reader)
        }
        if !omission.missing.isEmpty || !omission.erased.isEmpty { part.omissions.append(omission) }
        guard var difference else { return }
        if difference.kind == .content, try isReordered(recorded, &reader) {
            difference = reordered(difference)
        }
        part.found = .first(part.found, difference)
    }

    private mutating func compare<Reader: SealedHistoryReading>(
        _ recorded: RecordedSeal, isBoundary: Bool, _ omission: inout SealedHistoryPart.Omission, _ index: inout Int,
        _ part: inout SealedHistoryPart, _ reader: inout Reader
    ) throws -> SealVerification.Difference? {
        let entries = recorded.entries
        while let transaction = try reader.nextTransaction(through: recorded.last) {
            let position = transaction.position
            if let stray = transaction.strayPosition {
                return difference(.inserted, stray, "the row belongs to no transaction")
            }
            while index < entries.count, entries[index].position < position {
                omission.missing.append((index, entries[index].position))
                previous = entries[index].position
                index += 1
            }
            guard index < entries.count, entries[index].position == position else {
                return difference(.inserted, position, "no seal contains the transaction")
            }
            defer { index += 1 }
            if transaction.kind == nil {
                let isVoid =
                    try SealedTransaction.void(position: position, checkValue: transaction.checkValue, hashing)
                    == entries[index].hash
                if isVoid, position == part.bounds?.floor || position == part.bounds?.gap {
                    part.voidBounds.insert(position)
                }
                if isVoid {
                    addHole(before: transaction, &part)
                } else {
                    // The newest transaction becomes a void header when it is deleted. It was the last one of its seal.
                    guard index == entries.count - 1, transaction.checkValue == recorded.lastCheck else {
                        return difference(.content, position, "a void header is in the place of a transaction")
                    }
                    omission.missing.append((index, position))
                    endIsMissing = true
                }
            } else if isBoundary {
                return difference(.inserted, position, "the transaction is before the boundary of a purge")
            } else if let difference = try compare(transaction, entries[index].hash, &part, &reader) {
                return difference
            }
            previous = position
        }
        return nil
    }

    private mutating func compare<Reader: SealedHistoryReading>(
        _ transaction: RecordedTransaction, _ hash: HistoryDigest, _ part: inout SealedHistoryPart,
        _ reader: inout Reader
    ) throws -> SealVerification.Difference? {
        let isFirst = part.firstTransaction == nil
        let result = try verify(transaction, &reader, mismatch: mismatch)
        if result.isReordered, let suspect = part.suspect {
            part.suspect = nil
            return reordered(suspect.difference)
        }
        if isFirst { part.firstTransaction = transaction.position }
        if result.hash != hash {
            mismatch = Mismatch(transaction: transaction, hash: hash)
            let difference = difference(
                .content, transaction.position, "the transaction is not the one that was sealed")
            guard isFirst else { return difference }
            part.suspect = (transaction.position, difference)
        } else {
            addHole(before: transaction, &part)
        }
        if let bounds = part.bounds, transaction.position <= bounds.floor { part.lastUpToFloor = transaction.position }
        return result.difference.map { difference($0.kind, $0.position, $0.detail) }
    }

    /// Adds the positions between the previous transaction and this one. In PostgreSQL, the first change has a number that is not
    /// lower than the position.
    private func addHole(before transaction: RecordedTransaction, _ part: inout SealedHistoryPart) {
        guard let previous else { return }
        let start = transaction.countsTransactions ? transaction.position : min(transaction.first, transaction.position)
        let (first, last) = (previous &+ 1, start &- 1)
        guard first > previous, first <= last else { return }
        part.holes.append(SealedHistoryPart.Hole(positions: first...last, seal: seal))
    }

    // MARK: Reordered transactions

    private func reordered(_ difference: SealVerification.Difference) -> SealVerification.Difference {
        SealVerification.Difference(
            .reordered, position: difference.position, seal: difference.seal,
            "the transaction was exchanged with another one of the seal")
    }

    /// Looks for the transaction that differs among the later ones of the seal.
    private mutating func isReordered<Reader: SealedHistoryReading>(
        _ recorded: RecordedSeal, _ reader: inout Reader
    ) throws -> Bool {
        guard let mismatch else { return false }
        do {
            while let transaction = try reader.nextTransaction(through: recorded.last) {
                guard transaction.kind != nil else { continue }
                if try verify(transaction, &reader, mismatch: mismatch).isReordered { return true }
            }
            return false
        } catch let error as SwiftDataError where SwiftDataError.damagedFile ~= error {
            // The first difference is known.
            return false
        }
    }

    // MARK: Erased values

    private mutating func addErased<Reader: SealedHistoryReading>(
        to omission: inout SealedHistoryPart.Omission, _ reader: inout Reader
    ) throws {
        for (row, event) in try reader.nextErasuresOfDeletedRows() { erased[event, default: []].append(row) }
        for (event, var rows) in erased.sorted(by: { $0.key < $1.key }) {
            // Those of deleted transactions are the last ones.
            rows.sort { $0.key < $1.key }
            let content = try SealedEvent.content(erasing: rows.lazy.map(\.integers), hashing)
            omission.erased.append((event, content, rows.first?.key.0))
        }
    }
}

extension RecordedRow {
    /// The order of the hash of erased values (P).
    fileprivate var key: (Int64, Int64, Int64) {
        switch self {
        case .position(let position): (position, 0, 0)
        case .place(let transaction, let change, let place): (transaction, change, place)
        }
    }
}
