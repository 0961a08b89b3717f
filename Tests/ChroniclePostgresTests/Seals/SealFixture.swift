#if Postgres
    import Chronicle
    import ChronicleCore
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    extension HistoryFixture {
        /// A store that preserves all values.
        static func preserving() throws -> HistoryFixture { try HistoryFixture { $0.preservesValues = true } }

        var store: PostgresStore {
            get throws { try #require(container.stores.first as? PostgresStore) }
        }

        /// Seals in small steps.
        @discardableResult
        func seal(observing observe: (HistorySealer.Step) throws -> Void = { _ in }) throws -> HistorySeal {
            try HistorySealer.$limits.withValue(HistorySealer.Limits(transactions: 2, rows: 60, page: 3)) {
                try store.sealHistory(ReferenceHashing(), observing: observe)
            }
        }

        func verify(_ heads: HistorySeal...) throws -> SealVerification {
            var verifier = SealVerifier(heads: heads, ReferenceHashing())
            try store.readSealedHistory(includesValues: true) { try verifier.verify($0) }
            return verifier.result()
        }

        /// Expects that nothing differs and each head is proven. Returns the exceptions of the last one.
        @discardableResult
        func expectProven(
            _ heads: HistorySeal..., location: SourceLocation = #_sourceLocation
        ) throws -> SealVerification.Exceptions {
            var verifier = SealVerifier(heads: heads, ReferenceHashing())
            try store.readSealedHistory(includesValues: true) { try verifier.verify($0) }
            let result = verifier.result()
            #expect(result.difference == nil, sourceLocation: location)
            var exceptions = SealVerification.Exceptions()
            for head in result.heads {
                guard case .proven(let found) = head.outcome else {
                    Issue.record("\(head)", sourceLocation: location)
                    continue
                }
                exceptions = found
            }
            return exceptions
        }

        /// The kinds of all events, in their order.
        func events() throws -> [String] {
            try psql("SELECT kind FROM chronicle_event ORDER BY id").split(separator: "\n").map(String.init)
        }

        func integer(_ sql: String) throws -> Int { try #require(Int(try psql(sql))) }

        func delete(author: String) throws {
            try context().deleteHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == author }))
        }

        func purge(_ retention: HistoryRetention) async throws -> HistoryPurgeResult {
            try #require(try await container.purgeHistory(retention).first)
        }
    }
#endif
