#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Stores of development builds, whose shapes a migration plan does not contain.
    @Suite("PostgreSQL development builds", .requiresPostgres) struct PostgresShapeTests {
        private func open(
            _ configuration: PostgresConfiguration, _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)? = nil
        ) throws -> ModelContext {
            ModelContext(try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration]))
        }

        /// Creates a store with an item of each shape, and returns the items that a migration must keep.
        private func write(
            _ configuration: PostgresConfiguration, shapes: [Int], version: Schema.Version?
        ) throws -> [String] {
            let cluster = try PostgresCluster.shared.get()
            return try shapes.enumerated().map { number, shape in
                _ = try open(configuration, Schema(Shapes.all[shape].models, version: version))
                let insert = Shapes.insert("item \(number)", inShape: shape)
                _ = try cluster.psql("SET search_path = \(configuration.schemaName ?? ""); \(insert)")
                return Shapes.expected("item \(number)", insertedInShape: shape)
            }
        }

        @Test(arguments: [[0, 2], [2], [0, 5], [6], [0, 7], [8], [0, 9], [10], [0, 11], [12]])
        func valuesOfEveryShapeRemain(_ shapes: [Int]) throws {
            let configuration = try PostgresConfiguration.testing()
            let expected = try write(configuration, shapes: shapes, version: Shape0.versionIdentifier)
            let context = try open(
                configuration, Schema(versionedSchema: Shape12.self), CustomPlan<Shape0, Shape6, Shape12>.self)
            #expect(try Shapes.items(context) == expected)
            context.insert(Shape12.Item(name: "new"))
            try context.save()
        }

        @Test func theErrorNamesTheMostSimilarVersion() throws {
            let configuration = try PostgresConfiguration.testing()
            _ = try write(configuration, shapes: [2], version: nil)
            let error = try failure(of: {
                try open(
                    configuration, Schema(versionedSchema: Shape12.self), LightweightPlan<Shape0, Shape12>.self)
            })
            #expect(error == .unknownSchemaVersion)
            #expect(
                error?.detail?.hasSuffix("version is 1.0.0, which differs in Item.count, Item.note") == true,
                "\(String(describing: error))")
        }
    }
#endif
