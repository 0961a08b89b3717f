#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation

    /// A store of ``clubModels`` that is changed at random by two contexts, by batches and by another program.
    struct RandomClubs {
        private let contexts: [ModelContext]
        let container: ModelContainer
        let consumers: [HistoryConsumer<DefaultHistoryTransaction>]
        private let runForeign: (String) throws -> Void

        /// - Parameters:
        ///   - configuration: The store.
        ///   - foreign: A closure that runs an SQL statement of another program.
        init(_ configuration: any DataStoreConfiguration, foreign: @escaping (String) throws -> Void) throws {
            container = try ModelContainer(for: Schema(clubModels), configurations: [configuration])
            contexts = [ModelContext(container), ModelContext(container)]
            for context in contexts { context.autosaveEnabled = false }
            runForeign = foreign
            let container = container
            consumers = try Self.filters().enumerated().map { number, filter in
                try container.historyConsumer(named: "\(number)", filter: filter, startingNewAt: .beginning)
            }
        }

        // MARK: Changes

        /// Makes some changes.
        ///
        /// - Returns: What was done, or the kind of the error.
        func step(_ random: inout SplitMix) throws -> String {
            let context = random.pick(contexts)
            context.author = random.pick([nil, "anna", "ben"])
            context.mergePolicy = random.pick([.error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump])
            do {
                switch random.below(12) {
                case 0:
                    try runForeign(foreignStatement(&random))
                    try saveMarker(&random)
                    return "another program"
                case 1: return try batch(context, &random)
                default:
                    for _ in 0...random.below(6) { try edit(context, &random) }
                    switch random.below(8) {
                    case 0:
                        context.rollback()
                        return "rolled back"
                    case 1: return "not saved"
                    default:
                        try context.save()
                        return "saved"
                    }
                }
            } catch let error as SwiftDataError {
                context.rollback()
                return String("\(error)".prefix { $0 != " " })
            }
        }

        /// Saves a change, because SQLite returns the changes of other programs up to the next save as one transaction.
        private func saveMarker(_ random: inout SplitMix) throws {
            let context = ModelContext(container)
            context.insert(Sponsor("marker", random.below(1_000_000)))
            try context.save()
        }

        func all<Model: Coded>(_ type: Model.Type, _ context: ModelContext) throws -> [Model] {
            try context.fetch(FetchDescriptor<Model>()).sorted { $0.code < $1.code }
        }

        private func some<Model>(_ models: [Model], _ random: inout SplitMix) -> [Model] {
            models.filter { _ in random.below(3) == 0 }
        }

        private func edit(_ context: ModelContext, _ random: inout SplitMix) throws {
            let (clubs, members) = (try all(Club.self, context), try all(Member.self, context))
            let (sponsors, stadiums) = (try all(Sponsor.self, context), try all(Stadium.self, context))
            let number = random.below(20)
            switch random.below(20) {
            case 0, 1:
                let club = Club("club \(number)", city: random.pick(["Rome", "Bern"]), number: random.below(20))
                if random.below(2) == 0 { club.members = [Member("member \(number)", "new")] }
                if random.below(2) == 0 { club.sponsors = some(sponsors, &random) }
                context.insert(club)
            case 2: context.insert(Member("member \(number)", "inserted"))
            case 3:
                let player = Player("member \(20 + number)", "player")
                player.goals = random.pick([nil, 0, 7])
                player.club = clubs.isEmpty ? nil : random.pick(clubs)
                context.insert(player)
            case 4: context.insert(Sponsor("sponsor \(random.below(6))", random.below(3)))
            case 5: context.insert(Stadium("stadium \(random.below(4))"))
            // Shifts unique values, in any order.
            case 6: for club in clubs.shuffled(using: &random) where club.city == "Rome" { club.number += 1 }
            case 7: if !members.isEmpty { context.delete(random.pick(members)) }
            case 8: if !clubs.isEmpty, random.below(2) == 0 { context.delete(random.pick(clubs)) }
            case 9: if let sponsor = some(sponsors, &random).first { context.delete(sponsor) }
            case 10: if let stadium = some(stadiums, &random).first { context.delete(stadium) }
            case 11:
                guard !members.isEmpty else { return }
                let member = random.pick(members)
                member.name = "n\(random.below(3))"
                member.club = clubs.isEmpty || random.below(3) == 0 ? nil : random.pick(clubs)
                if let player = member as? Player {
                    player.goals = (player.goals ?? 0) + 1
                    player.idols = some(members, &random)
                }
            default:
                guard !clubs.isEmpty else { return }
                try edit(random.pick(clubs), clubs, members, sponsors, stadiums, &random)
            }
        }

        private func edit(
            _ club: Club, _ clubs: [Club], _ members: [Member], _ sponsors: [Sponsor], _ stadiums: [Stadium],
            _ random: inout SplitMix
        ) throws {
            switch random.below(13) {
            case 0: club.note = random.pick([nil, "", "né", "🏟️"])
            case 1: club.score = random.pick([nil, 0, -0.5, .infinity, .greatestFiniteMagnitude])
            case 2: club.founded = random.pick([nil, .distantPast, Date(timeIntervalSinceReferenceDate: 0.1)])
            case 3: club.badge = random.pick([nil, Data(), Data([0, 255])])
            case 4: club.key = random.pick([nil, UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6))])
            case 5: club.colors = some(["red", "blue", "white"], &random)
            case 6: club.fee = random.pick([0, Decimal(1) / 4, -100_000])
            case 7: club.sponsors = some(sponsors, &random)
            case 8: club.rivals = some(clubs, &random)
            case 9: club.captain = members.isEmpty || random.below(3) == 0 ? nil : random.pick(members)
            case 10: club.stadium = stadiums.isEmpty || random.below(3) == 0 ? nil : random.pick(stadiums)
            case 11: club.members = some(members, &random)
            default: club.code = "club \(random.below(20))"
            }
        }

        private func batch(_ context: ModelContext, _ random: inout SplitMix) throws -> String {
            let number = random.below(10)
            switch random.below(5) {
            case 0:
                return try
                    "updated \(context.update(model: Club.self, where: #Predicate { $0.number > number }, set: \.note, to: "batch"))"
            case 1:
                return try
                    "updated \(context.update(model: Club.self, set: \.number, to: #Expression { $0.number + 100 }))"
            case 2: try context.delete(model: Member.self, where: #Predicate { $0.name == "n1" })
            case 3: try context.delete(model: Sponsor.self, where: #Predicate { $0.amount == number })
            default: try context.delete(model: Stadium.self)
            }
            return "deleted"
        }

        private func foreignStatement(_ random: inout SplitMix) -> String {
            let code = random.below(20)
            return switch random.below(5) {
            case 0: #"UPDATE "Club" SET note = 'foreign', score = 2 WHERE code = 'club \#(code)'"#
            case 1: #"DELETE FROM "Club" WHERE code = 'club \#(code)'"#
            case 2: #"UPDATE "Member" SET name = 'foreign' WHERE name = 'n2'"#
            case 3: #"DELETE FROM "Member" WHERE code = 'member \#(code)'"#
            default: #"INSERT INTO "Sponsor"(code, amount) VALUES ('sponsor \#(100 + code)', 2) ON CONFLICT DO NOTHING"#
            }
        }

        // MARK: Content

        /// The values of all models, a line for each.
        func content(_ context: ModelContext? = nil) throws -> [String] {
            let context = context ?? ModelContext(container)
            func codes(_ models: [any Coded]) -> [String] { models.map(\.code).sorted() }
            var lines = try all(Club.self, context).map { club in
                """
                \(club.code) \(club.city) \(club.number) \(text(club.note)) \(text(club.score)) \(text(club.founded)) \
                \(text(club.badge)) \(text(club.key)) \(club.colors) \(club.fee) \(codes(club.members)) \
                \(codes(club.sponsors)) \(codes(club.rivals)) \(text(club.captain?.code)) \(text(club.stadium?.code))
                """
            }
            lines += try all(Member.self, context).map { member in
                let player = member as? Player
                return "\(type(of: member)) \(member.code) \(member.name) \(text(member.club?.code)) "
                    + "\(text(player?.goals)) \(codes(player?.idols ?? []))"
            }
            lines += try all(Sponsor.self, context).map { "\($0.code) \($0.amount) \(codes($0.clubs))" }
            return lines + (try all(Stadium.self, context).map { "\($0.code) \(codes($0.clubs))" })
        }

        func text(_ value: (any Sendable)?) -> String {
            switch value {
            case nil: "nil"
            case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
            case let data as Data: data.base64EncodedString()
            case let value?: "\(value)"
            }
        }

        // MARK: History

        /// The transactions after a token, a line for each transaction and change, and the token of the newest one.
        ///
        /// - Parameter codes: The codes of the models by their identifiers, to which those of the history are added.
        func history(
            after token: DefaultHistoryToken?, _ codes: inout [PersistentIdentifier: String]
        ) throws -> (lines: [String], token: DefaultHistoryToken?) {
            let context = ModelContext(container)
            let transactions: [DefaultHistoryTransaction] = try context.fetchHistory(
                token.map { .after($0) } ?? HistoryDescriptor())
            for change in transactions.flatMap(\.changes) {
                guard let code = change.preservedValues.first(where: { $0.name == "code" }) else { continue }
                codes[change.changedPersistentIdentifier] = (code.value ?? code.previousValue) as? String
            }
            return (lines(transactions, codes), transactions.last?.token ?? token)
        }

        func lines(
            _ transactions: [DefaultHistoryTransaction], _ codes: [PersistentIdentifier: String]
        ) -> [String] {
            transactions.flatMap { transaction in
                ["\(transaction.author ?? "-")"] + lines(transaction.changes, codes).sorted()
            }
        }

        /// The changes of a transaction, a line for each.
        ///
        /// Of several models that are deleted together, SQLite deletes one after the other, so that links between them are
        /// removed from models that still exist: neither these updates nor the links between deleted models are listed.
        func lines(
            _ changes: [HistoryChange], _ codes: [PersistentIdentifier: String],
            if isIncluded: (HistoryChange) -> Bool = { _ in true }
        ) -> [String] {
            let deleted = deletedModels(changes)
            return changes.filter { !isUpdate($0, of: deleted) && isIncluded($0) }
                .map { line($0, codes, withoutLinks: deleted.contains) }
        }

        func deletedModels(_ changes: [HistoryChange]) -> Set<PersistentIdentifier> {
            Set(changes.lazy.filter { if case .delete = $0 { true } else { false } }.map(\.changedPersistentIdentifier))
        }

        func isUpdate(_ change: HistoryChange, of models: Set<PersistentIdentifier>) -> Bool {
            if case .update = change { models.contains(change.changedPersistentIdentifier) } else { false }
        }

        /// - Parameter isOmitted: Whether a delete's link to a model is omitted.
        func line(
            _ change: HistoryChange, _ codes: [PersistentIdentifier: String],
            withoutLinks isOmitted: (PersistentIdentifier) -> Bool
        ) -> String {
            func text(_ value: (any Sendable)?) -> String {
                if let identifier = value as? PersistentIdentifier {
                    return "\(identifier.entityName) \(codes[identifier] ?? "?")"
                }
                return self.text(value)
            }
            let (kind, names): (String, [String]) =
                switch change {
                case .insert: ("insert", [])
                case .update(let update): ("update", update.updatedAttributeNames.sorted())
                case .delete: ("delete", [])
                }
            let values = change.preservedValues.filter {
                !(kind == "delete" && ($0.previousValue as? PersistentIdentifier).map(isOmitted) ?? false)
            }.map {
                "\($0.name): \(text($0.previousValue)) → \(text($0.value))"
            }
            let identifier = change.changedPersistentIdentifier
            return "  \(kind) \(identifier.entityName) \(codes[identifier] ?? "?") \(names) \(values.sorted())"
        }
    }

    /// A model of ``clubModels``.
    protocol Coded: PersistentModel { var code: String { get } }
    extension Club: Coded {}
    extension Member: Coded {}
    extension Sponsor: Coded {}
    extension Stadium: Coded {}
#endif
