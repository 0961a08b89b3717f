#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Exports and replays between both kinds of stores.
    @Suite("PostgreSQL exports", .requiresPostgres) struct ExportTests {
        private func container(_ isPostgres: Bool, _ models: [any PersistentModel.Type]) throws -> ModelContainer {
            let schema = Schema(models)
            guard isPostgres else {
                let url = try TemporaryDirectory().file("models.store")
                return try ModelContainer(
                    for: schema,
                    configurations: [ModelConfiguration(url: url, durability: .relaxed, preservesValues: true)])
            }
            return try ModelContainer(
                for: schema, configurations: [PostgresConfiguration.testing { $0.preservesValues = true }])
        }

        private func export(
            _ container: ModelContainer, _ start: HistoryStart<DefaultHistoryToken> = .beginning
        ) throws -> Data {
            var data = Data()
            try container.exportHistory(startingAt: start) { data.append($0) }
            return data
        }

        private func replay(_ data: Data, to container: ModelContainer) throws -> Int {
            var data: Data? = data
            return try container.replayHistory {
                defer { data = nil }
                return data
            }
        }

        /// Names and links of every kind, and instances of subclasses.
        private func content(_ container: ModelContainer) throws -> [String] {
            let context = ModelContext(container)
            func names(_ models: [some PersistentModel]) -> String {
                models.map { "\($0.persistentModelID.integerPrimaryKey ?? 0)" }.sorted().joined(separator: ",")
            }
            let items = try context.fetch(FetchDescriptor<LinkItem>(sortBy: [SortDescriptor(\.name)])).map {
                "\($0.name) \($0.number) \(names($0.tags)) \(names($0.photos)) \(names(Array($0.covers))) "
                    + "\(names($0.friends)) \(names($0.idols)) \(names($0.teachers)) \(names($0.students))"
            }
            let vehicles = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)])).map {
                "\(type(of: $0)) \($0.name) \($0.wheels) \(names($0.parts)) \(($0 as? Car)?.plate ?? "") "
                    + "\(($0 as? Taxi).map { names($0.languages) } ?? "")"
            }
            return items + vehicles
        }

        private let models: [any PersistentModel.Type] = [LinkItem.self, LinkTag.self, LinkPhoto.self] + vehicleModels

        /// Random saves, whose replica has the same models after each of several exports.
        @Test(arguments: [(true, false), (false, true), (true, true)])
        func replicaHasTheSameModels(_ isSourcePostgres: Bool, _ isReplicaPostgres: Bool) throws {
            let source = try container(isSourcePostgres, models)
            let replica = try container(isReplicaPostgres, models)
            let context = ModelContext(source)
            var random = TestSeed.generator(isSourcePostgres ? isReplicaPostgres ? 2 : 0 : 1)
            for step in 0..<60 {
                let items = try context.fetch(FetchDescriptor<LinkItem>())
                let vehicles = try context.fetch(FetchDescriptor<Vehicle>())
                switch Int.random(in: 0..<8, using: &random) {
                case 0, 1:
                    let item = LinkItem("item \(step)", tags: [LinkTag("tag \(step)")])
                    item.photos = [LinkPhoto("photo \(step)")]
                    context.insert(item)
                case 2:
                    let vehicle = [Vehicle("v \(step)"), Car("v \(step)"), Taxi("v \(step)", seats: 4)]
                        .randomElement(using: &random)
                    if let vehicle {
                        context.insert(vehicle)
                        vehicle.parts = [VehiclePart("part \(step)")]
                        if let car = vehicle as? Car { car.plate = "plate \(step)" }
                        if let taxi = vehicle as? Taxi { taxi.languages = [VehicleLabel("label \(step)")] }
                    }
                case 3, 4:
                    guard let a = items.randomElement(using: &random), let b = items.randomElement(using: &random)
                    else {
                        continue
                    }
                    a.friends.append(b)
                    a.teachers = [b]
                    a.idols = a.idols.isEmpty ? [b] : []
                    a.number += 1
                case 5: if let item = items.randomElement(using: &random) { context.delete(item) }
                case 6: if let vehicle = vehicles.randomElement(using: &random) { context.delete(vehicle) }
                default: vehicles.randomElement(using: &random)?.wheels += 1
                }
                try context.save()
                guard step % 15 == 14 else { continue }
                let start = try replica.replayedHistoryToken()
                _ = try replay(try export(source, start.map { .token($0) } ?? .beginning), to: replica)
                #expect(try content(replica) == content(source), "\(TestSeed.description)")
                #expect(try replica.replayedHistoryToken() == context.currentHistoryToken())
            }
            let copy = try container(isReplicaPostgres, models)
            _ = try replay(try export(source, .snapshot), to: copy)
            #expect(try content(copy) == content(source), "\(TestSeed.description)")
        }

        /// The file of SQLite can have integers as the values of reals that another program wrote.
        @Test func integersOfOtherProgramsAreReals() throws {
            let file = try TemporaryDirectory().file("clubs.store")
            let source = try ModelContainer(
                for: Schema(clubModels),
                configurations: [ModelConfiguration(url: file, durability: .relaxed, preservesValues: true)])
            let replica = try container(true, clubModels)
            let context = ModelContext(source)
            let club = Club("a", city: "Rome", number: 1)
            context.insert(club)
            try context.save()
            for score in [2, 3] {
                _ = try Shell.sqlite3(file, "PRAGMA foreign_keys = ON; UPDATE Club SET score = \(score)")
                context.insert(Sponsor("\(score)", score))
                try context.save()
                let start = try replica.replayedHistoryToken()
                _ = try replay(try export(source, start.map { .token($0) } ?? .beginning), to: replica)
                #expect(try ModelContext(replica).fetch(FetchDescriptor<Club>()).map(\.score) == [Double(score)])
            }
        }

        /// Rows that arrive in several parts, and a replica that was changed.
        @Test func longTablesAndConflicts() throws {
            let source = try container(true, [GraphSeat.self, GraphOwner.self])
            let context = ModelContext(source)
            for number in 0..<2_500 { context.insert(GraphSeat(number)) }
            try context.save()
            let replica = try container(true, [GraphSeat.self, GraphOwner.self])
            _ = try replay(try export(source, .snapshot), to: replica)
            let other = ModelContext(replica)
            #expect(try other.fetchCount(FetchDescriptor<GraphSeat>()) == 2_500)
            let start = try #require(try replica.replayedHistoryToken())
            let seat = try #require(
                try context.fetch(FetchDescriptor<GraphSeat>(predicate: #Predicate { $0.number == 7 })).first)
            seat.number = 7_000
            try context.save()
            let changes = try export(source, .token(start))
            let changed = try #require(
                try other.fetch(FetchDescriptor<GraphSeat>(predicate: #Predicate { $0.number == 7 })).first)
            changed.number = 8_000
            try other.save()
            #expect(throws: SwiftDataError.historyReplayConflict) { try replay(changes, to: replica) }
            #expect(try replica.replayedHistoryToken() == start)
            changed.number = 7
            try other.save()
            #expect(try replay(changes, to: replica) == 1)
            #expect(try replay(changes, to: replica) == 0)
        }
    }
#endif
