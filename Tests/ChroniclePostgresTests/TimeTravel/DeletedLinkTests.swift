#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Deletes contain the links that no other model records.
    @Suite("PostgreSQL links of deleted models", .requiresPostgres) struct DeletedLinkTests {
        private func container() throws -> (ModelContainer, PostgresConfiguration) {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            let models: [any PersistentModel.Type] = [LinkItem.self, LinkTag.self, LinkPhoto.self]
            return (try ModelContainer(for: Schema(models), configurations: [configuration]), configuration)
        }

        @Test(arguments: [false, true]) func listsOfDeletedModelsAreRead(_ isForeign: Bool) throws {
            let (container, configuration) = try container()
            let context = ModelContext(container)
            let (kept, deleted, empty) = (LinkItem("kept"), LinkItem("deleted"), LinkItem("empty"))
            for item in [kept, deleted, empty] { context.insert(item) }
            kept.idols = [deleted]
            deleted.photos = [LinkPhoto("a"), LinkPhoto("b")]
            (deleted.friends, deleted.idols, deleted.teachers) = (
                [deleted, kept, empty], [deleted, kept], [deleted, empty]
            )
            deleted.tags = [LinkTag("tag")]
            try context.save()
            let token = try context.currentHistoryToken()
            let photos = Set(deleted.photos.map(\.persistentModelID))
            let (identifier, emptyIdentifier) = (deleted.persistentModelID, empty.persistentModelID)
            if isForeign {
                // In one statement, so that neither end of a link exists when it is deleted.
                try PostgresCluster.shared.get().psql(
                    """
                    WITH tags AS (DELETE FROM \(configuration.schemaName ?? "")."LinkTag")
                    DELETE FROM \(configuration.schemaName ?? "")."LinkItem" WHERE name IN ('deleted', 'empty')
                    """)
            } else {
                for item in [deleted, empty] { context.delete(item) }
                for tag in deleted.tags { context.delete(tag) }
                try context.save()
            }
            let past = try ModelContext(container, asOf: token)
            let items = try past.fetch(FetchDescriptor<LinkItem>(sortBy: [SortDescriptor(\.name)]))
            #expect(items.map(\.name) == ["deleted", "empty", "kept"])
            try #require(items.count == 3)
            #expect(items[0].photos.map(\.name).sorted() == ["a", "b"])
            #expect(items[0].friends.map(\.name).sorted() == ["deleted", "empty", "kept"])
            #expect(items[0].idols.map(\.name).sorted() == ["deleted", "kept"])
            #expect(items[0].teachers.map(\.name).sorted() == ["deleted", "empty"])
            #expect(items[0].students.map(\.name) == ["deleted"] && items[1].students.map(\.name) == ["deleted"])
            #expect(items[0].tags.map(\.name) == ["tag"])
            #expect(items[1].photos.isEmpty && items[1].idols.isEmpty && items[1].friends.map(\.name) == ["deleted"])
            #expect(items[2].idols.map(\.name) == ["deleted"] && items[2].photos.isEmpty)

            // The tombstone has the lists without an inverse.
            let transaction = try #require(
                try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>.after(token))
                    .first)
            func tombstone(_ identifier: PersistentIdentifier) -> [(name: String, value: any Sendable)] {
                transaction.changes.compactMap { change -> [(name: String, value: any Sendable)]? in
                    guard case .delete(let delete as DefaultHistoryDelete<LinkItem>) = change,
                        delete.changedPersistentIdentifier == identifier
                    else { return nil }
                    return delete.tombstone.namedValues
                }.first ?? []
            }
            let values = tombstone(identifier)
            #expect(
                Set(values.filter { $0.name == "photos" }.compactMap { $0.value as? PersistentIdentifier }) == photos)
            #expect(!values.contains { $0.name == "tags" })
            #expect(!tombstone(emptyIdentifier).contains { $0.name == "photos" })
            let net = try ModelContext(container).changes(between: token, and: context.currentHistoryToken())
            let change = try #require(net.change(of: identifier))
            #expect(Set(change.values.first { $0.name == "photos" }?.removedDestinations ?? []) == photos)

            // The deleted models are restored with their links.
            let plan = try context.revertPlan(for: transaction)
            #expect(plan.conflicts.isEmpty)
            try context.apply(plan)
            try context.save()
            let restored = try #require(try ModelContext(container).existingModel(for: identifier) as? LinkItem)
            #expect(Set(restored.photos.map(\.persistentModelID)) == photos)
            #expect(
                try PostgresCluster.shared.get().psql(
                    "SELECT count(*) FROM \(configuration.schemaName ?? "").chronicle_removed") == "0")
        }

        /// Links that were removed before, and those of a table that is emptied.
        @Test func removedLinksAreNoPartOfTheDelete() throws {
            let (container, configuration) = try container()
            let schema = configuration.schemaName ?? ""
            let context = ModelContext(container)
            let item = LinkItem("item")
            context.insert(item)
            item.photos = [LinkPhoto("a"), LinkPhoto("b")]
            try context.save()
            let token = try context.currentHistoryToken()
            try PostgresCluster.shared.get().psql(
                """
                BEGIN; DELETE FROM \(schema)."LinkItem.photos" WHERE destination = 1; TRUNCATE \(schema)."LinkItem" CASCADE; COMMIT
                """)
            let past = try ModelContext(container, asOf: token)
            let items = try past.fetch(FetchDescriptor<LinkItem>())
            #expect(items.map { $0.photos.map(\.name).sorted() } == [["a", "b"]])
            // The tombstone has the remaining link.
            let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>.after(token)).flatMap(
                \.changes)
            let tombstones = changes.compactMap { change -> [(name: String, value: any Sendable)]? in
                guard case .delete(let delete as DefaultHistoryDelete<LinkItem>) = change else { return nil }
                return delete.tombstone.namedValues
            }
            let photos = tombstones.flatMap { $0 }.filter { $0.name == "photos" }.compactMap {
                $0.value as? PersistentIdentifier
            }
            #expect(photos.map(\.integerPrimaryKey) == [2])
        }

        /// Another program drops or disables the trigger that notes links.
        @Test(arguments: ["DROP TRIGGER chronicle_links ON §", "ALTER TABLE § DISABLE TRIGGER chronicle_links"])
        func aMissingTriggerIsFound(_ statement: String) throws {
            let (container, configuration) = try container()
            let table = "\(configuration.schemaName ?? "").\"LinkItem\""
            let context = ModelContext(container)
            context.insert(LinkItem("item"))
            try context.save()
            let token = try context.currentHistoryToken()
            func problems() throws -> [String] {
                var problems: [String] = []
                try PostgresStore(inspecting: configuration).verify { problems.append($0.description) }
                return problems
            }
            #expect(try problems() == [])
            try PostgresCluster.shared.get().psql(statement.replacing("§", with: table))
            let expected =
                "LinkItem the trigger chronicle_links is missing or disabled: deletes are recorded without their links"
            #expect(try problems() == [expected])
            // The next opening repairs it, with one gap.
            let models: [any PersistentModel.Type] = [LinkItem.self, LinkTag.self, LinkPhoto.self]
            let again = ModelContext(try ModelContainer(for: Schema(models), configurations: [configuration]))
            #expect(throws: SwiftDataError.historyTokenGap) {
                try again.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>.after(token))
            }
            #expect(try problems() == [])
            let later = try again.currentHistoryToken()
            let third = ModelContext(try ModelContainer(for: Schema(models), configurations: [configuration]))
            #expect(try third.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>.after(later)).isEmpty)
        }

        /// A trigger of another program can prevent a delete whose links were noted.
        @Test(arguments: [false, true]) func leftNotesAreDeleted(_ isErased: Bool) async throws {
            let (container, configuration) = try container()
            let schema = configuration.schemaName ?? ""
            let context = ModelContext(container)
            let item = LinkItem("item")
            context.insert(item)
            item.photos = [LinkPhoto("a")]
            try context.save()
            context.insert(LinkItem("later"))
            try context.save()
            let cluster = try PostgresCluster.shared.get()
            try cluster.psql(
                """
                CREATE FUNCTION \(schema).keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER keep BEFORE DELETE ON \(schema)."LinkItem" FOR EACH ROW EXECUTE FUNCTION \(schema).keep();
                DELETE FROM \(schema)."LinkItem"
                """)
            #expect(try cluster.psql("SELECT count(*) FROM \(schema).chronicle_removed") == "1")
            if isErased {
                try container.erase()
            } else {
                _ = try await container.purgeHistory(HistoryRetention(maximumChanges: 1))
            }
            #expect(try cluster.psql("SELECT count(*) FROM \(schema).chronicle_removed") == "0")
        }
    }
#endif
