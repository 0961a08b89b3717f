#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    @Suite("PostgreSQL history of a model", .requiresPostgres) struct PostgresModelHistoryTests {
        @Test(arguments: [false, true]) func changesAreFoundInPages(isIndexed: Bool) throws {
            let fixture = try HistoryFixture()
            let store = try #require(fixture.container.stores.first as? PostgresStore)
            try store.setHistoryIndexedByModel(isIndexed)
            #expect(try store.isHistoryIndexedByModel == isIndexed)
            let context = fixture.context("app")
            let (account, other) = (Account("a"), Account("b"))
            for model in [account, other] { context.insert(model) }
            try context.save()
            for number in 1...5 {
                (account.balance, other.balance) = (number, -number)
                try context.save()
            }
            // A transaction of another program with several changes of the model.
            let key = try #require(account.persistentModelID.integerPrimaryKey)
            try fixture.psql(
                """
                BEGIN; UPDATE "Account" SET balance = 6 WHERE _rowid_ = \(key);
                UPDATE "Account" SET name = 'c' WHERE _rowid_ = \(key); COMMIT
                """)
            let expected = try fixture.transactions().flatMap(\.changes)
                .filter { $0.changedPersistentIdentifier == account.persistentModelID }.map(\.line)
            #expect(expected.count == 8)
            for limit in [1, 2, 3, 8, 100] {
                for order in [SortOrder.forward, .reverse] {
                    var request = ModelHistoryRequest<DefaultHistoryTransaction>(
                        account.persistentModelID, order: order, limit: limit)
                    var found: [String] = []
                    repeat {
                        let page = try store.fetchModelHistory(request)
                        #expect(page.entries.count <= limit)
                        found += page.entries.map(\.change.line)
                        request.continuation = page.continuation
                    } while request.continuation != nil && found.count < 100
                    #expect(found == (order == .forward ? expected : expected.reversed()))
                }
            }
            let balances = try context.history(of: account, attribute: \.balance).dropFirst()
            #expect(balances.map { $0.value(\Account.balance) } == [1, 2, 3, 4, 5, 6])
            // The index survives the next opening.
            let reopened = try HistoryFixture(fixture.configuration, fixture.cluster)
            let again = try #require(reopened.container.stores.first as? PostgresStore)
            #expect(try again.isHistoryIndexedByModel == isIndexed)
            try again.setHistoryIndexedByModel(!isIndexed)
            #expect(try store.isHistoryIndexedByModel == !isIndexed)
        }

        @Test func blameNamesTheAuthors() throws {
            let fixture = try HistoryFixture()
            let context = fixture.context("first")
            let account = Account("a")
            context.insert(account)
            try context.save()
            context.author = "second"
            account.balance = 1
            try context.save()
            let key = try #require(account.persistentModelID.integerPrimaryKey)
            try fixture.psql("UPDATE \"Account\" SET note = 'x' WHERE _rowid_ = \(key)")
            let blame = try context.blame(account)
            #expect(blame[\.name]?.author == "first")
            #expect(blame[\.balance]?.author == "second")
            #expect(blame[\.note]?.isExternal == true)
            try context.deleteHistory(
                HistoryDescriptor<DefaultHistoryTransaction>.before(#require(blame[\.note]?.token)))
            #expect(try context.blame(account).attributeNamesBeforeHistory.contains("balance"))
        }

        @Test func pagesAfterDeletedOrReplacedHistoryAreRejected() throws {
            let fixture = try HistoryFixture()
            let context = fixture.context()
            let account = Account("a")
            context.insert(account)
            try context.save()
            for number in 1...4 {
                account.balance = number
                try context.save()
            }
            let store = try #require(fixture.container.stores.first as? PostgresStore)
            let transactions = try fixture.transactions()
            var request = ModelHistoryRequest<DefaultHistoryTransaction>(account.persistentModelID, limit: 2)
            request.continuation = try store.fetchModelHistory(request).continuation
            #expect(try store.fetchModelHistory(request).entries.count == 2)
            // Nothing is missing after the last change of the page.
            try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>.before(transactions[1].token))
            #expect(try store.fetchModelHistory(request).entries.count == 2)
            try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>.before(transactions[2].token))
            #expect(throws: SwiftDataError.historyTokenExpired) { try store.fetchModelHistory(request) }
            // The first page tells what is missing, and the next ones do not repeat it as an error.
            request.continuation = nil
            request.limit = 1
            let page = try store.fetchModelHistory(request)
            #expect(page.completeAfter == transactions[2].token)
            request.continuation = page.continuation
            #expect(try store.fetchModelHistory(request).entries.count == 1)
            try fixture.psql("UPDATE chronicle_transaction SET check_value = check_value + 1")
            #expect(throws: SwiftDataError.historyTokenForked) { try store.fetchModelHistory(request) }
        }
    }
#endif
