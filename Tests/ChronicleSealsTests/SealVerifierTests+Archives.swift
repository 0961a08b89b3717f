#if Seals
    import ChronicleCore
    import ChronicleSeals
    import Testing

    /// The verification of a history whose beginning was purged, and of archives with it.
    extension SealVerifierTests {
        @Test func purge() throws {
            var (history, heads) = try Self.history()
            let archive = history
            history.purge(through: 2)
            let unsealed = try history.verify(heads)
            #expect(unsealed.difference == nil)
            #expect(unsealed.boundary == heads[1])
            #expect(unsealed.heads.map(\.outcome) == [.purged, proven(unconfirmed: [2]), proven(unconfirmed: [2])])
            if let head = try history.seal() { heads.append(head) }
            let sealed = try history.verify(heads)
            #expect(sealed.heads.map(\.outcome) == [.purged, proven(), proven(), proven()])
            #expect(!sealed.isProven)
            let complete = try history.verify(heads, after: [archive])
            #expect(complete.isProven, "\(complete)")
            #expect(complete.boundary == nil)
            #expect(complete.sealCount == 4)
            #expect(complete.heads.map(\.outcome) == [proven(), proven(), proven(), proven()])
        }

        @Test func archiveWithDifference() throws {
            var (history, heads) = try Self.history()
            var archive = history
            history.purge(through: 2)
            archive.transactions[4].changes[0].key = .integer(99)
            let result = try history.verify(heads, after: [archive])
            #expect(result.difference?.seal == 2)
            #expect(result.heads.map(\.outcome) == [proven(), .different, .different])
            #expect(result.proven == heads[0])
        }

        @Test func archiveThatEndsBefore() throws {
            var (history, heads) = try Self.history()
            var archive = history
            archive.seals.removeLast(2)
            archive.transactions.removeLast(6)
            history.purge(through: 2)
            try heads.append(#require(try history.seal()))
            let result = try history.verify(heads, after: [archive])
            #expect(result.difference?.kind == .missing)
            #expect(result.heads.map(\.outcome) == [.purged, proven(), proven(), proven()])
        }

        @Test func archiveOfAnotherBranch() throws {
            var (history, heads) = try Self.history()
            var archive = history
            history.purge(through: 2)
            archive.seals[2].time += 1
            try archive.rebuild(from: 2)
            let result = try history.verify(heads, after: [archive])
            #expect(result.difference?.seal == 3)
        }

        /// A killed purge leaves transactions of a seal, and changes of one.
        @Test func purgeWithinSeal() throws {
            var (history, heads) = try Self.history()
            history.purge(through: 1)
            history.transactions.remove(at: 0)
            history.transactions[0].changes = []
            history.add(
                .purge, PurgeDetail(reason: .erase, through: 10, purged: 10, boundary: nil, transactions: 1))
            history.bounds?.floor = 10
            history.bounds?.purged = 10
            if let head = try history.seal() { heads.append(head) }
            let result = try history.verify(heads)
            #expect(result.difference == nil)
            #expect(result.heads.last?.outcome == proven(deleted: 2))
        }
    }
#endif
