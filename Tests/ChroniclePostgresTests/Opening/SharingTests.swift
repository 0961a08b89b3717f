#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Testing

    /// Programs with different models that share a store.
    @Suite("PostgreSQL sharing", .requiresPostgres) struct PostgresSharingTests {
        private let store: SharedStore

        init() throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let cluster = try PostgresCluster.shared.get()
            store = SharedStore(
                definitionQueries: """
                    SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema();
                    SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint \
                    WHERE connamespace = current_schema()::regnamespace;
                    SELECT proname, prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
                    """
            ) {
                try ModelContainer(for: Schema($0), configurations: [configuration])
            } sql: {
                try cluster.psql("SET search_path = \(configuration.schemaName ?? ""); \($0)")
            }
        }

        @Test func theTablesServeAllPrograms() throws {
            #expect(try store.checkThatTablesServeAllPrograms() == [])
        }

        @Test(arguments: [SharingClash.toMany, SharingClash.links])
        func relationshipsRemainWhereOtherProgramsStoreThem(_ models: [any PersistentModel.Type]) throws {
            #expect(try store.checkThatRelationshipsStay(models) == [])
        }

        @Test func updatesMoveRelationships() throws {
            #expect(try store.checkThatUpdatesMoveRelationships() == [])
        }

        @Test func subclassesKeepValues() throws {
            #expect(try store.checkThatSubclassesKeepValues() == [])
        }

        @Test func propertiesOfSubclassesChange() throws {
            #expect(try store.checkThatPropertiesOfSubclassesChange() == [])
        }

        @Test func movedPropertiesKeepValues() throws {
            #expect(try store.checkThatMovedPropertiesKeepValues() == [])
        }

        @Test func removedClassesKeepNoNames() throws {
            #expect(try store.checkThatRemovedClassesKeepNoNames() == [])
        }

        @Test func referencesHaveNoDefaultValues() throws {
            #expect(try store.checkThatReferencesHaveNoDefaultValues() == [])
        }

        @Test func originalNamesAreRemembered() throws {
            #expect(try store.checkThatOriginalNamesAreRemembered() == [])
        }

        @Test func renamesKeepValues() throws {
            #expect(try store.checkThatRenamesKeepValues() == [])
        }

        @Test(arguments: [false, true]) func listsOfRenamedClassesRemain(_ hasDestination: Bool) throws {
            let models: [any PersistentModel.Type] =
                [WrittenText.Renamed.Writer.self] + (hasDestination ? [WrittenText.Renamed.Text.self] : [])
            #expect(try store.checkThatListsRemain(models) == [])
        }

        @Test func renamesKeepRules() throws {
            #expect(try store.checkThatRenamesKeepRules() == [])
        }
    }
#endif
