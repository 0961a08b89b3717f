#if Seals
    import ChronicleCore
    import ChronicleSeals
    import Foundation

    /// A sealed history in memory, which tests change. Each transaction is an insert with one preserved value and its header.
    struct SealVerifierHistory {
        struct Transaction {
            var header: RecordedTransaction
            var changes: [RecordedChange] = []
        }

        static let hashing = SealHashing()

        var store = Array("9E02C1D4-0000-4000-8000-000000000001".utf8)
        var catalog = SealedCatalog(
            entities: [.init(number: 3, name: Array("Trip".utf8))],
            attributes: [
                .init(entity: 3, number: 0, name: Array("name".utf8), type: Array("String".utf8), isPresent: true)
            ])
        var seals: [RecordedSeal] = []
        var transactions: [Transaction] = []
        /// The events that are not sealed.
        var events: [SealedEvent] = []
        var keys: [RecordedKey] = []
        /// The rows of erased values of deleted transactions.
        var remains: [(row: RecordedRow, event: Int64)] = []
        var bounds: RecordedHistoryBounds? = RecordedHistoryBounds(floor: 0, purged: nil, gap: 0)
        var newest: Int64 = 0
        private var newestEvent: Int64 = 0

        init() { add(.begun, BegunDetail(newest: 0, floor: 0, beginning: 0, purged: nil, gap: 0)) }

        // MARK: Building

        private static func text(_ text: String) -> RecordedValue { .text(Array(text.utf8)) }

        /// Returns the position of the header.
        @discardableResult
        mutating func insert(_ value: String, by author: String = "ann") -> Int64 {
            var header = RecordedTransaction(
                position: newest + 2, checkValue: -7 * newest, kind: .ordinary, first: newest + 1)
            header.description = SealedDescription(time: 785_548_800)
            header.description?.author = Array(author.utf8)
            var change = RecordedChange()
            (change.position, change.entity, change.key) = (newest + 1, 3, .integer(newest))
            var slot = RecordedSlot(row: .position(newest + 1), attribute: 0)
            slot.value = (.null, Self.text(value))
            change.slots = [slot]
            transactions.append(Transaction(header: header, changes: [change]))
            newest += 2
            return newest
        }

        /// Adds an event that is not sealed yet.
        @discardableResult
        mutating func add(_ kind: SealedEvent.Kind, _ detail: some Encodable) -> Int64 {
            newestEvent += 1
            // Encoding integers and texts does not fail.
            let json = (try? JSONEncoder().encode(detail)) ?? Data()
            events.append(
                SealedEvent(
                    number: newestEvent, kind: Array(kind.rawValue.utf8), time: 785_548_801, detail: Array(json)))
            return newestEvent
        }

        private mutating func hash(_ index: Int) throws -> HistoryDigest {
            let hashing = Self.hashing
            var transaction = transactions[index]
            guard let kind = transaction.header.kind, let description = transaction.header.description else {
                return try SealedTransaction.void(
                    position: transaction.header.position, checkValue: transaction.header.checkValue, hashing)
            }
            let key = HistoryDigest.randomKey()
            let commitment = try description.commitment(key: key, hashing)
            transaction.header.commitment = RecordedCommitment(attribute: nil, key: key, commitment: commitment)
            var hash = SealedTransaction(
                position: transaction.header.position, checkValue: transaction.header.checkValue, kind: kind,
                description: commitment, first: transaction.header.first, hashing)
            for change in transaction.changes.indices {
                let row = transaction.changes[change]
                hash.append(
                    row.change, at: row.position, entity: row.entity, key: row.key, attributes: row.attributes)
                for slot in row.slots.indices {
                    guard let attribute = row.slots[slot].attribute, let value = row.slots[slot].value else {
                        hash.appendSlotWithoutValue()
                        continue
                    }
                    let key = HistoryDigest.randomKey()
                    let classes = SealedClasses(catalog)
                    let numbers = classes.isClass(attribute, of: row.entity) ? classes.numbers : nil
                    let commitment = try value.before.withSealed(classes: numbers) { before in
                        try value.after.withSealed(classes: numbers) { after in
                            try hashing.commitment(toAttribute: attribute, before: before, after: after, key: key)
                        }
                    }
                    hash.append(attribute: attribute, commitment: commitment)
                    transaction.changes[change].slots[slot].commitment = RecordedCommitment(
                        attribute: attribute, key: key, commitment: commitment)
                }
            }
            transactions[index] = transaction
            return try hash.finish()
        }

        @discardableResult
        mutating func seal() throws -> HistorySeal? {
            let previous = seals.last
            var seal = RecordedSeal(
                number: (previous?.number ?? 0) + 1, last: previous?.last ?? 0, lastCheck: previous?.lastCheck ?? 0,
                time: 785_548_802, previous: previous?.hash ?? .zero,
                catalogHash: try SealedCatalog.hash(catalog.bytes, Self.hashing), hash: .zero)
            for index in transactions.indices where transactions[index].header.position > previous?.last ?? 0 {
                let header = transactions[index].header
                seal.entries.append((header.position, try hash(index)))
                (seal.last, seal.lastCheck) = (header.position, header.checkValue)
            }
            if seal.catalogHash != previous?.catalogHash { seal.catalog = catalog.bytes }
            (seal.events, events) = (events, [])
            seals.append(seal)
            try rebuild(from: seals.count - 1)
            return seals.last?.head
        }

        /// Computes the hashes of the last seals again.
        mutating func rebuild(from index: Int) throws {
            for index in index..<seals.count {
                let seal = seals[index]
                if index > 0 { seals[index].previous = seals[index - 1].hash }
                var content = SealContent(
                    store: store, number: seal.number, previous: seals[index].previous, last: seal.last,
                    lastCheck: seal.lastCheck, time: seal.time, catalog: seal.catalogHash)
                for entry in seal.entries { content.append(position: entry.position, hash: entry.hash) }
                content.events = try seal.events.map { ($0.number, try $0.hash(Self.hashing)) }
                seals[index].hash = try content.hash(Self.hashing)
            }
        }

        // MARK: Purges, deletions, erasures

        func index(_ position: Int64) -> Int {
            transactions.firstIndex { $0.header.position == position } ?? 0
        }

        mutating func delete(_ position: Int64) {
            transactions.remove(at: index(position))
            add(.deletion, DeletionDetail(transactions: 1))
            for seal in seals {
                guard let entry = seal.entries.firstIndex(where: { $0.position == position }) else { continue }
                events[events.count - 1].parts.append(
                    (seal.number, SealedEvent.content(deleting: [entry], of: seal.entries.count)))
            }
            let floor = bounds?.floor ?? 0
            bounds?.floor = max(floor, position)
        }

        mutating func erase(_ position: Int64) throws {
            let event = add(.erasure, ErasureDetail(entities: [3], values: 1))
            let index = index(position)
            let row = transactions[index].changes[0].position
            transactions[index].changes[0].slots[0].attribute = nil
            transactions[index].changes[0].slots[0].value = nil
            transactions[index].changes[0].slots[0].commitment?.key = nil
            transactions[index].changes[0].slots[0].commitment?.event = event
            for seal in seals where seal.entries.contains(where: { $0.position == position }) {
                events[events.count - 1].parts.append(
                    (seal.number, try SealedEvent.content(erasing: [[row]], Self.hashing)))
            }
        }

        /// Purges up to the end of a seal.
        mutating func purge(through boundary: Int64) {
            guard let seal = seals.first(where: { $0.number == boundary }) else { return }
            transactions.removeAll { $0.header.position <= seal.last }
            add(
                .purge,
                PurgeDetail(
                    reason: .erase, through: seal.last, purged: nil, boundary: boundary, transactions: 1))
            seals.removeAll { $0.number < boundary }
            seals[0].catalog = catalog.bytes
            bounds?.floor = seal.last
        }

        // MARK: Verifying

        func verify(
            _ heads: [HistorySeal?] = [], after archives: [SealVerifierHistory] = [],
            signature: ((RecordedSeal, [UInt8]) throws -> Bool)? = nil
        ) throws -> SealVerification {
            var verifier = SealVerifier(
                heads: heads.compactMap { $0 }, Self.hashing, verifySignature: signature)
            for history in archives + [self] { try verifier.verify(SealVerifierReader(history)) }
            return verifier.result()
        }
    }

    /// Reads a ``SealVerifierHistory``.
    struct SealVerifierReader: SealedHistoryReading {
        private let history: SealVerifierHistory
        private var seal = 0
        private var transaction = 0
        private var change = 0
        private var key = 0
        private var last: Int64 = 0
        private var remains: [(row: RecordedRow, event: Int64)]

        init(_ history: SealVerifierHistory) { (self.history, remains) = (history, history.remains) }

        var store: [UInt8] { history.store }

        mutating func nextSeal() throws -> RecordedSeal? {
            while try nextTransaction(through: last) != nil {}
            guard seal < history.seals.count else { return nil }
            seal += 1
            last = history.seals[seal - 1].last
            return history.seals[seal - 1]
        }

        mutating func nextTransaction(through last: Int64) throws -> RecordedTransaction? {
            guard transaction < history.transactions.count, history.transactions[transaction].header.position <= last
            else { return nil }
            (transaction, change) = (transaction + 1, 0)
            return history.transactions[transaction - 1].header
        }

        mutating func nextChange(into change: inout RecordedChange) throws -> Bool {
            let changes = history.transactions[transaction - 1].changes
            guard self.change < changes.count else { return false }
            change = changes[self.change]
            self.change += 1
            return true
        }

        mutating func nextErasuresOfDeletedRows() throws -> [(row: RecordedRow, event: Int64)] {
            let end = last
            func isPassed(_ row: RecordedRow) -> Bool { row.integers[0] <= end }
            defer { remains.removeAll { isPassed($0.row) } }
            return remains.filter { isPassed($0.row) }
        }

        mutating func nextKey() throws -> RecordedKey? {
            guard key < history.keys.count else { return nil }
            key += 1
            return history.keys[key - 1]
        }

        func catalog() throws -> SealedCatalog { history.catalog }
        func unsealedEvents() throws -> [SealedEvent] { history.events }
        func transactionCount(after position: Int64) throws -> Int {
            history.transactions.count { $0.header.position > position }
        }
        func bounds() throws -> RecordedHistoryBounds? { history.bounds }
    }
#endif
