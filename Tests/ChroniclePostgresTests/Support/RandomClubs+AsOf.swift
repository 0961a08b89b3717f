#if Postgres
    import Chronicle
    import Foundation

    // What a context shows, and answers of queries, to compare positions.
    extension RandomClubs {
        /// The values of all models and the results of queries of every kind.
        func state(_ context: ModelContext? = nil) throws -> [String] {
            let context = context ?? ModelContext(container)
            return try content(context) + queries(context)
        }

        private func queries(_ context: ModelContext) throws -> [String] {
            var lines: [String] = []
            func add<Model: Coded>(_ name: String, _ descriptor: FetchDescriptor<Model>) throws {
                let found = try context.fetch(descriptor)
                lines.append("\(name): \(found.map(\.code)) \(try context.fetchCount(descriptor))")
                let identifiers = try context.fetchIdentifiers(descriptor)
                lines.append("\(name): \(identifiers == found.map(\.persistentModelID))")
            }
            func add<Model: Coded>(
                _ name: String, _ predicate: Predicate<Model>, _ sort: SortDescriptor<Model>..., limit: Int? = nil
            ) throws {
                // Models that compare equal are in the order of their keys, which are those of the same inserts.
                var descriptor = FetchDescriptor(predicate: predicate, sortBy: sort)
                if let limit { (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, 1) }
                try add(name, descriptor)
            }
            try add("all", #Predicate<Club> { _ in true }, SortDescriptor(\.city), SortDescriptor(\.score))
            try add("note", #Predicate<Club> { $0.note == "foreign" || $0.number > 100 }, SortDescriptor(\.number))
            try add("page", #Predicate<Club> { $0.city == "Rome" }, SortDescriptor(\.code, order: .reverse), limit: 2)
            try add("captain", #Predicate<Club> { $0.captain?.name == "n1" }, SortDescriptor(\.captain?.name))
            try add("stadium", #Predicate<Club> { $0.stadium?.code != nil }, SortDescriptor(\.stadium?.code))
            try add("members", #Predicate<Club> { $0.members.contains { $0.name == "n2" } })
            try add("member count", #Predicate<Club> { $0.members.count > 1 }, SortDescriptor(\.code))
            try add("sponsors", #Predicate<Club> { $0.sponsors.contains { $0.amount == 2 } })
            try add("no rivals", #Predicate<Club> { $0.rivals.isEmpty }, SortDescriptor(\.fee))
            try add("rivals", #Predicate<Club> { $0.rivals.contains { $0.captain?.name != "n1" } })
            try add("clubs", #Predicate<Sponsor> { $0.clubs.filter { $0.number > 3 }.count > 0 })
            try add("player", #Predicate<Player> { ($0.goals ?? 0) > 0 }, SortDescriptor(\.goals))
            try add("idols", #Predicate<Player> { !$0.idols.isEmpty }, SortDescriptor(\.code), limit: 3)
            try add("class", #Predicate<Member> { $0 is Player && $0.club?.city == "Bern" })
            try add("badge", #Predicate<Club> { $0.badge != nil && $0.fee < 1 }, SortDescriptor(\.founded))
            var prefetched = FetchDescriptor<Club>(sortBy: [SortDescriptor(\.code)])
            prefetched.relationshipKeyPathsForPrefetching = [\.members, \.rivals, \.captain]
            lines.append("prefetched: \(try context.fetch(prefetched).map(\.members.count))")
            return lines
        }
    }
#endif
