import Foundation

/// Verifies the seals of a part of a chain, in their order. See ``SealRowsWalk`` for their rows.
struct SealChainWalk {
    private let heads: Set<HistorySeal>
    private let hashing: any HistoryHashing
    private let verifySignature: ((RecordedSeal, [UInt8]) throws -> Bool)?
    private var part = SealedHistoryPart()
    private var catalogHash: HistoryDigest?
    /// Whether the end of the newest seal is a transaction that is not there.
    private var endIsMissing = false

    init(
        heads: Set<HistorySeal>, _ hashing: any HistoryHashing,
        _ verifySignature: ((RecordedSeal, [UInt8]) throws -> Bool)?
    ) {
        (self.heads, self.hashing, self.verifySignature) = (heads, hashing, verifySignature)
    }

    mutating func run(_ reader: some SealedHistoryReading) throws -> SealedHistoryPart {
        var reader = reader
        try noting { $0.part.bounds = try reader.bounds() }
        var rows = SealRowsWalk(hashing)
        try noting { _ in rows.classes = SealedClasses(try reader.catalog()) }
        var lastCheck: Int64 = 0
        while let seal = try nextSeal(&reader) {
            guard let head = seal.head, seal.time.isFinite else {
                breakChain(.seal, seal.number, "the position or the time of the seal is invalid")
                part.isIncomplete = true
                break
            }
            let before = part.newest
            try verify(seal, store: reader.store, lastCheck: lastCheck)
            lastCheck = seal.lastCheck
            try compareRows(of: seal, after: before, &rows, &reader)
            add(seal, head)
            if try verifySignature?(seal, reader.store) == true { part.signed = (seal.number, head) }
        }
        try end(&reader)
        return part
    }

    /// Records a row that the format does not allow.
    ///
    /// - Parameter seal: The number of the first seal that may contain the row.
    private mutating func noting(seal: Int64? = nil, _ body: (inout SealChainWalk) throws -> Void) throws {
        do { try body(&self) } catch let error as SwiftDataError where SwiftDataError.damagedFile ~= error {
            record(.damaged, seal: seal, error.detail ?? "a row of the history is damaged")
        }
    }

    private mutating func nextSeal(_ reader: inout some SealedHistoryReading) throws -> RecordedSeal? {
        do { return try reader.nextSeal() } catch let error as SwiftDataError where SwiftDataError.damagedFile ~= error
        {
            breakChain(.damaged, (part.newest?.number ?? 0) &+ 1, error.detail ?? "a seal is damaged")
            part.isIncomplete = true
            return nil
        }
    }

    private mutating func record(
        _ kind: SealVerification.Difference.Kind, position: Int64? = nil, seal: Int64?, _ detail: String
    ) {
        part.found = .first(
            part.found, SealVerification.Difference(kind, position: position, seal: seal, detail))
    }

    private mutating func breakChain(_ kind: SealVerification.Difference.Kind, _ seal: Int64, _ detail: String) {
        if part.broken == nil { part.broken = SealVerification.Difference(kind, seal: seal, detail) }
    }

    // MARK: Seals

    private mutating func add(_ seal: RecordedSeal, _ head: HistorySeal) {
        let record = SealedHistoryPart.Seal(
            number: seal.number, last: seal.last, hash: seal.hash, head: head,
            timestamp: Date(timeIntervalSinceReferenceDate: seal.time))
        if part.first == nil { part.first = record }
        if let first = part.first, seal.number == first.number &+ Int64(part.links.count) {
            part.links.append((seal.last, seal.hash))
        }
        part.newest = record
        part.sealCount += 1
        if heads.contains(head), part.matches[head] == nil { part.matches[head] = seal.number }
        part.events += seal.events.map { SealedHistoryPart.Event(event: $0, seal: seal.number) }
    }

    private mutating func verify(_ seal: RecordedSeal, store: [UInt8], lastCheck: Int64) throws {
        if let newest = part.newest {
            let expected = newest.number &+ 1
            if seal.number != expected {
                breakChain(.missing, expected, "the seal \(expected) is missing")
            } else if seal.previous != newest.hash {
                breakChain(.seal, seal.number, "the seal does not follow the previous one")
            }
        } else if seal.number < 1 || (seal.number == 1) != (seal.previous == .zero) {
            breakChain(.seal, seal.number, "the number or the previous seal of the first seal is invalid")
        }
        if try hash(seal, store) != seal.hash {
            breakChain(.seal, seal.number, "the hash of the seal is not that of its content")
        }
        if let detail = invalidList(of: seal, lastCheck) { breakChain(.seal, seal.number, detail) }
        if let catalog = seal.catalog {
            if try SealedCatalog.hash(catalog, hashing) != seal.catalogHash {
                breakChain(.seal, seal.number, "the names of the seal have another hash")
            }
        } else if part.newest == nil {
            breakChain(.seal, seal.number, "the names of the first seal are missing")
        } else if seal.catalogHash != catalogHash {
            breakChain(.names, seal.number, "the changed names of the seal are missing")
        }
        if part.newest != nil, seal.catalogHash != catalogHash, !seal.events.contains(where: \.isChangeOfNames) {
            record(.names, seal: seal.number, "names were changed without an event")
        }
        catalogHash = seal.catalogHash
    }

    private func hash(_ seal: RecordedSeal, _ store: [UInt8]) throws -> HistoryDigest {
        var content = SealContent(seal, store: store)
        content.events = try seal.events.map { ($0.number, try $0.hash(hashing)) }
        return try content.hash(hashing)
    }

    /// What is wrong with the list of a seal whose hash may be right.
    private func invalidList(of seal: RecordedSeal, _ lastCheck: Int64) -> String? {
        guard let last = seal.entries.last else {
            // The seal before the first one that remains is not known.
            if part.newest == nil, seal.number > 1 { return nil }
            return seal.last == part.newest?.last ?? 0 && seal.lastCheck == lastCheck
                ? nil : "the seal has no transactions and another last position than the previous one"
        }
        var previous = part.newest?.last ?? 0
        for entry in seal.entries {
            guard entry.position > previous else { return "the positions of the list are not in order" }
            previous = entry.position
        }
        return last.position == seal.last ? nil : "the list does not end with the last position"
    }

    // MARK: Rows

    private mutating func compareRows<Reader: SealedHistoryReading>(
        of seal: RecordedSeal, after before: SealedHistoryPart.Seal?, _ rows: inout SealRowsWalk, _ reader: inout Reader
    ) throws {
        // The first difference is enough. Readers skip what was not read.
        guard part.firstDifferent == .max else { return }
        do {
            try rows.compare(seal, after: before, &part, &reader)
        } catch let error as SwiftDataError where SwiftDataError.damagedFile ~= error {
            record(.damaged, seal: seal.number, error.detail ?? "a row of the history is damaged")
        }
        if !seal.entries.isEmpty {
            endIsMissing = rows.endIsMissing
        } else if before == nil {
            // A purge has deleted what ends there.
            endIsMissing = seal.number > 1
        }
    }

    // MARK: After the seals

    private mutating func end<Reader: SealedHistoryReading>(_ reader: inout Reader) throws {
        if part.firstDifferent == .max {
            if endIsMissing, let newest = part.newest {
                // A row before the next transaction. What no seal contains may be damaged, which is no difference.
                let next = try? reader.nextTransaction(through: .max)
                if let stray = next?.strayPosition, stray <= newest.last {
                    record(.inserted, position: stray, seal: newest.number, "the row belongs to no transaction")
                }
            }
            // Any transaction can be one of the key.
            let seal = part.first.map { $0.number > 1 ? $0.number &+ 1 : 1 }
            try noting(seal: seal) { walk in
                while let key = try reader.nextKey() {
                    guard let detail = try walk.difference(key) else { continue }
                    walk.record(.names, seal: seal, detail)
                    break
                }
            }
        }
        try noting { walk in
            let events = try reader.unsealedEvents()
            walk.part.unsealedEvents = events.count
            walk.part.events += events.map { SealedHistoryPart.Event(event: $0, seal: nil) }
            walk.part.unsealedTransactions = try reader.transactionCount(after: walk.part.newest?.last ?? 0)
        }
        try noting { walk in
            guard let known = walk.catalogHash, try SealedCatalog.hash(reader.catalog().bytes, walk.hashing) != known,
                !walk.part.events.contains(where: { $0.seal == nil && $0.event.isChangeOfNames })
            else { return }
            walk.record(.names, seal: nil, "names were changed after the newest seal without an event")
        }
    }

    private func difference(_ key: RecordedKey) throws -> String? {
        guard let columns = key.columns, let known = key.commitment.commitment else { return nil }
        let name = "the key \(key.number) of the entity \(key.entity)"
        guard let secret = key.commitment.key else { return "\(name) has no secret to verify it with" }
        let hash = try hashing.commitment(toKeyOf: key.entity, columns: columns, key: secret)
        return hash == known ? nil : "\(name) is not the one that was numbered"
    }
}

extension HistoryHashing {
    /// Returns the commitment to a key (K) whose columns own their bytes.
    package func commitment(
        toKeyOf entity: Int64, columns: [RecordedValue], key: HistoryDigest
    ) throws -> HistoryDigest {
        func collect(_ rest: ArraySlice<RecordedValue>, _ values: [SealedValue]) throws -> HistoryDigest {
            guard let first = rest.first else { return try commitment(toKeyOf: entity, columns: values, key: key) }
            // The bytes are valid inside of the closure.
            return try first.withSealed { try collect(rest.dropFirst(), values + [$0]) }
        }
        return try collect(columns[...], [])
    }
}

extension SealedEvent {
    var knownKind: Kind? { Kind(rawValue: String(decoding: kind, as: UTF8.self)) }

    var isChangeOfNames: Bool { knownKind == .names }
}
