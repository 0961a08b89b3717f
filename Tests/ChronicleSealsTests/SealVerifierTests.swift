#if Seals
    import ChronicleCore
    import ChronicleSeals
    import Foundation
    import Testing

    /// The algorithm of the verification, on a history in memory. Attacks on stores have tests of their own.
    @Suite struct SealVerifierTests {
        typealias History = SealVerifierHistory

        /// A history with three seals of three transactions, at 2, 4 and 6, at 8, 10 and 12, and at 14, 16 and 18.
        static func history() throws -> (History, [HistorySeal]) {
            var (history, heads) = (History(), [HistorySeal]())
            for seal in 1...3 {
                for value in ["a", "b", "c"] { history.insert("\(value)\(seal)") }
                if let head = try history.seal() { heads.append(head) }
            }
            return (history, heads)
        }

        @Test func intactHistory() throws {
            var (history, heads) = try Self.history()
            history.insert("unsealed")
            let result = try history.verify(heads)
            #expect(result.difference == nil)
            #expect(result.isProven)
            #expect(result.heads.map(\.outcome) == [proven(), proven(), proven()])
            #expect(result.proven == heads[2])
            #expect(result.newest == heads[2])
            #expect((result.sealCount, result.unsealedTransactions, result.unsealedEvents) == (3, 1, 0))
            #expect(result.boundary == nil)
            #expect(result.events.map(\.kind) == ["begun"])
        }

        @Test func otherHeads() throws {
            let (history, heads) = try Self.history()
            let other = Data(repeating: 7, count: 32)
            let absent = try #require(HistorySeal(position: 20, hash: other))
            let forked = try #require(HistorySeal(position: 12, hash: other))
            let result = try history.verify([heads[0], absent, forked])
            #expect(result.heads.map(\.outcome) == [proven(), .absent, .forked])
            #expect(!result.isProven)
            #expect(result.difference == nil)
        }

        @Test func historyWithoutSeals() throws {
            let head = try #require(HistorySeal(position: 2, hash: Data(repeating: 7, count: 32)))
            let result = SealVerifier(heads: [head], History.hashing).result()
            #expect(result.heads.map(\.outcome) == [.absent])
            #expect(!result.isProven)
        }

        struct Attack: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let kind: SealVerification.Difference.Kind
            /// What is reported. Seals before it are proven.
            let seal: Int64?
            let position: Int64?
            let attack: @Sendable (inout History) throws -> Void
        }

        static let attacks = [
            Attack(testDescription: "value", kind: .value, seal: 2, position: 9) {
                $0.transactions[4].changes[0].slots[0].value = (.null, .text(Array("forged".utf8)))
            },
            Attack(testDescription: "attribute", kind: .value, seal: 2, position: 9) {
                $0.transactions[4].changes[0].slots[0].attribute = 1
            },
            Attack(testDescription: "author", kind: .description, seal: 2, position: 10) {
                $0.transactions[4].header.description?.author = Array("mallory".utf8)
            },
            Attack(testDescription: "key of a description", kind: .erased, seal: 2, position: 10) {
                $0.transactions[4].header.commitment?.key = nil
            },
            Attack(testDescription: "content", kind: .content, seal: 2, position: 10) {
                $0.transactions[4].changes[0].key = .integer(99)
            },
            Attack(testDescription: "content of the first transaction", kind: .content, seal: 1, position: 2) {
                $0.transactions[0].changes[0].key = .integer(99)
            },
            Attack(testDescription: "check value", kind: .content, seal: 2, position: 10) {
                $0.transactions[4].header.checkValue = 1
            },
            Attack(testDescription: "removed", kind: .removed, seal: 2, position: 10) { $0.transactions.remove(at: 4) },
            Attack(testDescription: "first one removed", kind: .removed, seal: 1, position: 2) {
                $0.transactions.remove(at: 0)
            },
            Attack(testDescription: "void header", kind: .removed, seal: 3, position: 18) {
                $0.transactions[8].changes = []
                ($0.transactions[8].header.kind, $0.transactions[8].header.first) = (nil, 18)
            },
            Attack(testDescription: "inserted", kind: .inserted, seal: 2, position: 9) {
                $0.transactions[4].header.strayPosition = 9
            },
            Attack(testDescription: "reordered", kind: .reordered, seal: 2, position: 8) { history in
                let (first, last) = (history.transactions[3], history.transactions[5])
                history.transactions[3] = last.moved(to: first)
                history.transactions[5] = first.moved(to: last)
            },
            Attack(testDescription: "first ones reordered", kind: .reordered, seal: 1, position: 2) { history in
                let (first, last) = (history.transactions[0], history.transactions[1])
                history.transactions[0] = last.moved(to: first)
                history.transactions[1] = first.moved(to: last)
            },
            Attack(testDescription: "list", kind: .seal, seal: 2, position: nil) {
                $0.seals[1].entries[0].hash = .zero
            },
            Attack(testDescription: "link", kind: .seal, seal: 2, position: nil) { $0.seals[1].previous = .zero },
            Attack(testDescription: "missing seal", kind: .missing, seal: 2, position: nil) { $0.seals.remove(at: 1) },
            Attack(testDescription: "missing beginning", kind: .missing, seal: 1, position: nil) {
                $0.seals.remove(at: 0)
                $0.transactions.removeFirst(3)
            },
            Attack(testDescription: "event", kind: .seal, seal: 1, position: nil) { $0.seals[0].events = [] },
            Attack(testDescription: "sealed names", kind: .seal, seal: 1, position: nil) {
                $0.seals[0].catalog?[20] ^= 1
            },
            Attack(testDescription: "present names", kind: .names, seal: nil, position: nil) {
                $0.catalog.attributes[0].name = Array("price".utf8)
            },
            Attack(testDescription: "erased without an event", kind: .erased, seal: 2, position: 9) {
                $0.transactions[4].changes[0].slots[0].attribute = nil
                $0.transactions[4].changes[0].slots[0].commitment?.key = nil
            },
            Attack(testDescription: "destroyed key", kind: .erased, seal: 2, position: 9) {
                $0.transactions[4].changes[0].slots[0].commitment?.key = nil
            },
            Attack(testDescription: "destroyed value", kind: .erased, seal: 2, position: 9) {
                $0.transactions[4].changes[0].slots[0].attribute = nil
            },
            Attack(testDescription: "raised floor", kind: .hidden, seal: nil, position: 10) { $0.bounds?.floor = 10 },
            Attack(testDescription: "gap", kind: .hidden, seal: nil, position: 10) { $0.bounds?.gap = 10 },
            Attack(testDescription: "purged in part", kind: .hidden, seal: nil, position: 10) {
                $0.bounds?.purged = 10
            },
        ]

        @Test(arguments: attacks)
        func attack(_ attack: Attack) throws {
            var (history, heads) = try Self.history()
            try attack.attack(&history)
            let result = try history.verify(heads)
            #expect(!result.isProven)
            let difference = try #require(result.difference)
            #expect(difference.kind == attack.kind, "\(difference.detail)")
            #expect(difference.seal == attack.seal)
            #expect(difference.position == attack.position)
            let end = Int(attack.seal ?? 4) - 1
            #expect(result.proven == (end == 0 ? nil : heads[end - 1]))
            for (index, head) in result.heads.enumerated() {
                switch head.outcome {
                case .proven: #expect(index < end)
                case .different, .forked: #expect(index >= end)
                // Without the beginning, its heads could have been purged.
                case .purged: #expect(attack.kind == .missing)
                case .absent: Issue.record("the head \(index + 1) is absent")
                }
            }
        }

        /// A chain that was built again contains its beginning only.
        @Test func chainBuiltAgain() throws {
            var (history, heads) = try Self.history()
            history.seals[1].entries.removeLast()
            history.transactions.remove(at: 5)
            (history.seals[1].last, history.seals[1].lastCheck) = (10, history.transactions[4].header.checkValue)
            try history.rebuild(from: 1)
            let result = try history.verify(heads)
            #expect(result.heads.map(\.outcome).dropFirst() == [.forked, .forked])
        }

        // MARK: Events

        @Test func erasure() throws {
            var (history, heads) = try Self.history()
            try history.erase(10)
            let unsealed = try history.verify(heads)
            #expect(unsealed.difference == nil)
            let unconfirmed = proven(erased: 1, unconfirmed: [2])
            #expect(unsealed.heads.map(\.outcome) == [proven(), unconfirmed, unconfirmed])
            #expect(!unsealed.isProven)
            let head = try history.seal()
            #expect(try !history.verify(heads).isProven)
            let sealed = try history.verify(heads + [head])
            #expect(sealed.isProven)
            #expect(
                sealed.heads.map(\.outcome).dropFirst() == [proven(erased: 1), proven(erased: 1), proven(erased: 1)])
            // The event is sealed and cannot cover another value.
            history.transactions[3].changes[0].slots[0] = history.transactions[4].changes[0].slots[0]
            history.transactions[3].changes[0].slots[0].row = .position(7)
            #expect(try history.verify(heads).difference?.seal == 2)
        }

        @Test func erasedValueThatReturns() throws {
            var (history, heads) = try Self.history()
            let slot = history.transactions[4].changes[0].slots[0]
            try history.erase(10)
            try history.seal()
            history.transactions[4].changes[0].slots[0] = slot
            let result = try history.verify(heads)
            #expect(result.difference?.kind == .restored)
            #expect(result.difference?.seal == 2)
        }

        @Test(arguments: [false, true])
        func deletion(isSealed: Bool) throws {
            var (history, heads) = try Self.history()
            let deleted = history.transactions[4]
            history.delete(10)
            if isSealed, let head = try history.seal() { heads.append(head) }
            let result = try history.verify(heads)
            #expect(result.difference == nil)
            let exceptions = proven(deleted: 1, unconfirmed: isSealed ? [] : [2])
            #expect(result.heads.map(\.outcome).prefix(3) == [proven(), exceptions, exceptions])
            #expect(result.isProven == isSealed)
            history.transactions.insert(deleted, at: 4)
            #expect(try history.verify(heads).difference?.kind == .restored)
        }

        /// The erased value of a deleted transaction is still a part of the erasure.
        @Test(arguments: [false, true])
        func deletionOfErasedValues(keepsRow: Bool) throws {
            var (history, heads) = try Self.history()
            try history.erase(10)
            history.delete(10)
            if keepsRow { history.remains = [(.position(9), 2)] }
            let head = try history.seal()
            let result = try history.verify(heads + [head])
            #expect(result.difference?.kind == (keepsRow ? nil : .restored))
            if keepsRow { #expect(result.heads.last?.outcome == proven(erased: 1, deleted: 1)) }
        }

        /// The newest transaction remains as a void header, which can be deleted later.
        @Test func deletionOfNewest() throws {
            var (history, heads) = try Self.history()
            var newest = history.transactions[8]
            history.delete(18)
            newest.changes = []
            (newest.header.kind, newest.header.first, newest.header.description) = (nil, 18, nil)
            newest.header.commitment = nil
            history.transactions.append(newest)
            #expect(try history.verify(heads).difference == nil)
            history.insert("later")
            if let head = try history.seal() { heads.append(head) }
            #expect(try history.verify(heads).isProven)
            history.transactions[8].header.checkValue += 1
            #expect(try history.verify(heads).difference?.kind == .content)
            history.transactions.remove(at: 8)
            #expect(try history.verify(heads).isProven)
        }

        @Test(arguments: [false, true])
        func holes(isRecorded: Bool) throws {
            var (history, heads) = try Self.history()
            history.newest += 3
            if isRecorded { history.add(.unproven, UnprovenDetail(ranges: [[19, 20], [21, 21]], transactions: 1)) }
            history.insert("later")
            if let head = try history.seal() { heads.append(head) }
            let result = try history.verify(heads)
            #expect(result.difference?.kind == (isRecorded ? nil : .removed))
            #expect(result.difference?.position == (isRecorded ? nil : 19))
            if isRecorded { #expect(result.heads.last?.outcome == proven([19...21])) }
        }

        @Test func changedNames() throws {
            var (history, heads) = try Self.history()
            history.catalog.attributes[0].name = Array("title".utf8)
            history.add(.names, NoDetail())
            #expect(try history.verify(heads).difference == nil)
            if let head = try history.seal() { heads.append(head) }
            #expect(try history.verify(heads).isProven)
            history.seals[3].events = []
            try history.rebuild(from: 3)
            #expect(try history.verify().difference?.kind == .names)
        }

        // MARK: Values and signatures

        /// A text of the class attribute is hashed as the number of the class, or as a text if it names none.
        @Test func classes() throws {
            var history = History()
            history.catalog.attributes[0].name = Array(Schema.entityAttribute.utf8)
            history.insert("Trip")
            history.insert("Voyage")
            let head = try history.seal()
            #expect(try history.verify([head]).isProven)
            // A migration that renames a class rewrites the texts. The other text names a class now.
            history.catalog.entities[0].name = Array("Voyage".utf8)
            history.transactions[0].changes[0].slots[0].value = (.null, .text(Array("Voyage".utf8)))
            history.add(.names, NoDetail())
            #expect(try history.verify([head]).difference == nil)
        }

        @Test func numberedKeys() throws {
            var (history, heads) = try Self.history()
            let key = HistoryDigest.randomKey()
            let commitment = try History.hashing.commitment(
                toKeyOf: 3, columns: [SealedValue.integer(5), .null], key: key)
            history.keys = [
                RecordedKey(
                    entity: 3, number: 1, columns: [.integer(5), .null],
                    commitment: RecordedCommitment(attribute: nil, key: key, commitment: commitment))
            ]
            #expect(try history.verify(heads).isProven)
            history.keys[0].columns = [.integer(6), .null]
            #expect(try history.verify(heads).difference?.kind == .names)
        }

        @Test func signatures() throws {
            let (history, heads) = try Self.history()
            let signed = try history.verify { seal, _ in seal.number <= 2 }
            #expect(signed.isProven)
            #expect(signed.heads.map(\.head) == [heads[1]])
            let unsigned = try history.verify(heads) { _, _ in false }
            #expect(unsigned.lacksSignature)
            #expect(unsigned.proven == nil)
            #expect(!unsigned.isProven)
        }
    }

    extension SealVerifierTests {
        func proven(
            erased: Int = 0, deleted: Int = 0, _ ranges: [ClosedRange<Int64>] = [], unconfirmed: [Int64] = []
        ) -> SealVerification.Outcome {
            var exceptions = SealVerification.Exceptions()
            (exceptions.erasedValues, exceptions.deletedTransactions) = (erased, deleted)
            (exceptions.unprovenRanges, exceptions.unconfirmedEvents) = (ranges, unconfirmed)
            return .proven(exceptions)
        }
    }

    extension SealVerifierHistory.Transaction {
        /// The transaction at the position of another one with the same number of rows.
        fileprivate func moved(to other: Self) -> Self {
            var moved = self
            moved.header.position = other.header.position
            moved.header.first = other.header.first
            moved.changes[0].position = other.changes[0].position
            moved.changes[0].slots[0].row = other.changes[0].slots[0].row
            return moved
        }
    }
#endif
