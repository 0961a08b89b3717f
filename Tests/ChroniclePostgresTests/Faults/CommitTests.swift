#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Connections that are cut while a save is committed.
    @Suite("PostgreSQL unknown commits", .requiresPostgres) struct PostgresCommitTests {
        private let cluster: PostgresCluster
        private let proxy: CuttingProxy
        private let context: ModelContext
        private let schemaName: String

        init() throws {
            cluster = try PostgresCluster.shared.get()
            proxy = try CuttingProxy(cluster)
            schemaName = try cluster.makeSchema()
            let configuration = PostgresConfiguration(
                "host=\(proxy.directory.path) user=\(cluster.user) dbname=postgres", schemaName: schemaName,
                connectionTimeout: .milliseconds(300))
            context = ModelContext(
                try ModelContainer(for: GraphSeat.self, GraphNode.self, configurations: configuration))
            // The statements of a save are prepared, so that the next one is a single request.
            context.insert(GraphSeat(1))
            try context.save()
        }

        private func numbers() throws -> String {
            try cluster.psql("SELECT string_agg(number::text, ',' ORDER BY number) FROM \(schemaName).\"GraphSeat\"")
        }

        @Test func committedSaveReturns() throws {
            proxy.setMode(.cuttingResponse)
            let seats = [GraphSeat(2), GraphSeat(3)]
            for seat in seats { context.insert(seat) }
            try context.save()
            #expect(try numbers() == "1,2,3")
            // The models have the identifiers of their rows.
            for seat in seats {
                let key = try #require(seat.persistentModelID.primaryKey(as: Int.self))
                let number = try cluster.psql("SELECT number FROM \(schemaName).\"GraphSeat\" WHERE _rowid_ = \(key)")
                #expect(number == "\(seat.number)")
            }
            seats[0].number = 20
            context.delete(seats[1])
            try context.save()
            #expect(try numbers() == "1,20")
        }

        @Test func committedUpdateReturns() throws {
            let seat = try #require(try context.fetch(FetchDescriptor<GraphSeat>()).first)
            proxy.setMode(.cuttingResponse)
            seat.number = 7
            try context.save()
            #expect(try numbers() == "7")
            #expect(!context.hasChanges)
        }

        @Test func saveThatDidNotArriveThrowsAndCanBeRepeated() throws {
            proxy.setMode(.cuttingRequest)
            context.insert(GraphSeat(2))
            let error = try #require(throws: SwiftDataError.self) { try context.save() }
            #expect(error == .storeUnavailable)
            #expect(error.underlying is PostgresError)
            #expect(try numbers() == "1")
            try context.save()
            #expect(try numbers() == "1,2")
        }

        @Test func outcomeIsUnknownWithoutAServer() throws {
            proxy.setMode(.cuttingEverything)
            context.insert(GraphSeat(2))
            let error = try #require(throws: SwiftDataError.self) { try context.save() }
            #expect(error == .saveOutcomeUnknown)
            #expect(try numbers() == "1,2")
            proxy.setMode(.passing)
            // As the documentation describes: the models show that the changes were saved.
            context.rollback()
            #expect(try context.fetchCount(FetchDescriptor<GraphSeat>()) == 2)
        }
    }
#endif
