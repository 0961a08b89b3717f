#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// The changes of a model that several statements of a save make.
    @Suite("PostgreSQL merged changes", .requiresPostgres) struct MergedChangesTests {
        private let clubs: RandomClubs
        private let context: ModelContext
        private let schemaName: String

        init() throws {
            let configuration = try PostgresConfiguration.testing { $0.preservesValues = true }
            schemaName = configuration.schemaName ?? ""
            clubs = try RandomClubs(configuration) { _ in }
            context = ModelContext(clubs.container)
        }

        /// The changes of the newest transaction, with only the properties of the names.
        private func changes(_ names: String...) throws -> [String] {
            let history: [DefaultHistoryTransaction] = try context.fetchHistory(HistoryDescriptor())
            let newest = try #require(history.last)
            return newest.changes.map { change in
                let kind =
                    switch change {
                    case .insert: "insert"
                    case .update(let update): "update \(update.updatedAttributeNames.sorted())"
                    case .delete: "delete"
                    }
                let values = change.preservedValues.filter { names.contains($0.name) }
                    .map { " \($0.name) \(text($0.previousValue))→\(text($0.value))" }
                return "\(change.changedPersistentIdentifier.entityName) \(kind)\(values.joined())"
            }.sorted()
        }

        private func text(_ value: (any Sendable)?) -> String {
            switch value {
            case let identifier as PersistentIdentifier: identifier.entityName
            case let value?: "\(value)"
            case nil: "nil"
            }
        }

        /// A trigger of another program, which runs after each row.
        private func createTrigger(_ event: String, on table: String, _ statement: String) throws {
            try PostgresCluster.shared.get().psql(
                """
                SET search_path = \(schemaName);
                CREATE FUNCTION adjust() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN \(statement); RETURN NULL; END $$;
                CREATE TRIGGER adjust AFTER \(event) ON "\(table)" FOR EACH ROW EXECUTE FUNCTION adjust()
                """)
        }

        @Test func insertsContainTheirLinks() throws {
            let club = Club("a", city: "Rome", number: 1)
            club.sponsors = [Sponsor("b", 1), Sponsor("c", 2)]
            context.insert(club)
            try context.save()
            #expect(
                try changes("sponsors", "clubs") == [
                    "Club insert sponsors nil→Sponsor sponsors nil→Sponsor", "Sponsor insert clubs nil→Club",
                    "Sponsor insert clubs nil→Club",
                ])
        }

        @Test func linksAreAPartOfTheUpdate() throws {
            let (club, sponsor, stadium) = (Club("a", city: "Rome", number: 1), Sponsor("b", 1), Stadium("c"))
            club.sponsors = [sponsor]
            for model in [club, sponsor, stadium] as [any PersistentModel] { context.insert(model) }
            try context.save()
            club.sponsors = [Sponsor("d", 1)]
            club.note = "new"
            club.stadium = stadium
            try context.save()
            #expect(
                try changes("sponsors", "clubs", "note", "stadium") == [
                    "Club update [\"note\", \"sponsors\", \"stadium\"] note nil→new stadium nil→Stadium "
                        + "sponsors Sponsor→nil sponsors nil→Sponsor",
                    "Sponsor insert clubs nil→Club", "Sponsor update [\"clubs\"] clubs Club→nil",
                ])
        }

        /// The statement of a trigger is recorded before the one that executes the trigger.
        @Test func updatesOfTheSameAttributeAreNotMerged() throws {
            let (club, sponsor) = (Club("a", city: "Rome", number: 1), Sponsor("b", 1))
            context.insert(club)
            context.insert(sponsor)
            try context.save()
            try createTrigger(
                "UPDATE", on: "Club", #"UPDATE "Club" SET note = 'last' WHERE code = NEW.code AND note = 'first'"#)
            club.note = "first"
            club.sponsors = [sponsor]
            try context.save()
            #expect(
                try changes("note", "sponsors") == [
                    "Club update [\"note\"] note first→last", "Club update [\"note\"] note nil→first",
                    "Club update [\"sponsors\"] sponsors nil→Sponsor", "Sponsor update [\"clubs\"]",
                ])
        }

        /// The values of an insert are those that the save wrote.
        @Test func insertsAreNotMergedWithUpdatesOfTriggers() throws {
            try createTrigger("INSERT", on: "Sponsor", #"UPDATE "Sponsor" SET amount = 7 WHERE code = NEW.code"#)
            let club = Club("a", city: "Rome", number: 1)
            club.sponsors = [Sponsor("b", 1)]
            context.insert(club)
            try context.save()
            #expect(
                try changes("amount", "sponsors") == [
                    "Club insert sponsors nil→Sponsor", "Sponsor insert amount nil→1",
                    "Sponsor update [\"amount\"] amount 1→7", "Sponsor update [\"clubs\"]",
                ])
        }
    }
#endif
