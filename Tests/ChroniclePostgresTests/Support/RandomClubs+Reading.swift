#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation

    // Requests whose answers do not depend on the store.
    extension RandomClubs {
        /// The filters of ``consumers``.
        static func filters() throws -> [HistoryFilter] {
            var filter = HistoryFilter(models: [Club.self, Member.self], authors: .except(["anna"]))
            try filter.limitUpdates(of: Club.self, to: [\.note, \.members, \.sponsors, \.number])
            return [
                HistoryFilter(), filter, HistoryFilter(changeKinds: [.insert, .delete]),
                HistoryFilter(models: [Player.self, Sponsor.self], authors: .only(["ben"])),
            ]
        }

        /// Makes a request.
        ///
        /// - Parameters:
        ///   - random: The generator.
        ///   - tokens: The tokens after the steps so far.
        ///   - codes: The codes of the models by their identifiers.
        ///   - deletes: Whether requests delete history. A consumer with a filter then starts over if its position past
        ///     changes that do not match was not stored yet, which depends on the time.
        /// - Returns: The request, and a line for each part of its answer.
        func request(
            _ random: inout SplitMix, _ tokens: [DefaultHistoryToken], _ codes: [PersistentIdentifier: String],
            deletes: Bool
        ) throws -> [String] {
            let context = ModelContext(container)
            do {
                switch random.below(7) {
                case 0, 1:
                    let consumer = deletes ? consumers[0] : random.pick(consumers)
                    return try read(consumer, limit: random.pick([1, 20, 1_000]), codes, context)
                case 2:
                    let (first, second) = (random.pick(tokens), random.pick(tokens))
                    return try ["net changes"]
                        + context.changes(between: first, and: second).map { line($0, codes) }.sorted()
                case 3:
                    let code = random.pick(Set(codes.values).sorted())
                    let name = random.pick([nil, "note", "members", "idols"])
                    return try ["history of \(code)"]
                        + codes.filter { $0.value == code }
                        .flatMap { try modelHistory($0.key, name, codes, context) }
                        .sorted()
                case 4:
                    var descriptor = HistoryDescriptor(predicate: predicate(random.below(5), random.pick(tokens)))
                    if random.below(2) == 0 {
                        descriptor.sortBy = [SortDescriptor(\.token, order: .reverse)]
                    }
                    if random.below(2) == 0 {
                        (descriptor.fetchLimit, descriptor.fetchOffset) = (3, UInt64(random.below(4)))
                    }
                    return try ["history"] + lines(context.fetchHistory(descriptor), codes)
                case 5:
                    guard deletes, random.below(3) == 0 else { return ["nothing"] }
                    try context.deleteHistory(.before(random.pick(tokens)))
                    return try ["deleted"] + lines(context.fetchHistory(HistoryDescriptor()), codes)
                default:
                    return try ["after"] + lines(context.fetchHistory(.after(random.pick(tokens))), codes)
                }
            } catch let error as SwiftDataError {
                return ["\(error)".prefix { $0 != " " }].map(String.init)
            }
        }

        private func predicate(
            _ number: Int, _ token: DefaultHistoryToken
        ) -> Predicate<DefaultHistoryTransaction> {
            switch number {
            case 0: return #Predicate { $0.author == "anna" }
            case 1: return #Predicate { $0.author != "ben" && $0.token > token }
            case 2: return #Predicate { $0.author == nil || $0.token <= token }
            case 3: return #Predicate { $0.changes.contains { $0.changedPersistentIdentifier.entityName == "Player" } }
            default: return #Predicate { !$0.changes.contains { $0.changedPersistentIdentifier.entityName == "Club" } }
            }
        }

        private func read(
            _ consumer: HistoryConsumer<DefaultHistoryTransaction>, limit: Int,
            _ codes: [PersistentIdentifier: String], _ context: ModelContext
        ) throws -> [String] {
            var (found, models) = (["consumer \(consumer.name)"], [String]())
            while let batch = try consumer.nextBatch(limit: limit) {
                switch batch.content {
                case .changes(let transactions):
                    for transaction in transactions {
                        found += lines(transaction.changes, codes, if: consumer.filter.matches).sorted()
                    }
                case .largeTransaction: found.append("large transaction")
                case .reset(let reason): found.append("reset: \(reason)")
                case .snapshot(let identifiers):
                    models += identifiers.map { "model \($0.entityName) \(codes[$0] ?? "?")" }
                }
                try consumer.acknowledge(batch)
            }
            return found + models.sorted()
        }

        private func modelHistory(
            _ identifier: PersistentIdentifier, _ name: String?, _ codes: [PersistentIdentifier: String],
            _ context: ModelContext
        ) throws -> [String] {
            try context.history(of: identifier, attributeNamed: name).compactMap { entry in
                if isUpdate(entry.change, of: deletedModels(entry.transaction.changes)) { return nil }
                // The entry does not say which models were deleted together with this one.
                return "\(entry.transaction.author ?? "-") \(line(entry.change, codes, withoutLinks: { _ in true }))"
            }
        }

        private func line(_ change: NetChange, _ codes: [PersistentIdentifier: String]) -> String {
            func text(_ value: (any Sendable)??) -> String {
                switch value {
                case nil: "none"
                case .some(let value as PersistentIdentifier): "\(value.entityName) \(codes[value] ?? "?")"
                case .some(let value): self.text(value)
                }
            }
            func destinations(_ identifiers: [PersistentIdentifier]?) -> String {
                identifiers.map { "\($0.map { codes[$0] ?? "?" }.sorted())" } ?? "-"
            }
            let values = change.values.map { value in
                """
                \(value.name): \(text(value.previousValue)) → \(text(value.value)) +\(destinations(value.addedDestinations)) \
                -\(destinations(value.removedDestinations))\(value.isMissing ? " missing" : "")
                """
            }
            let identifier = change.persistentIdentifier
            return "  \(change.kind) \(identifier.entityName) \(codes[identifier] ?? "?") \(values.sorted())"
        }
    }
#endif
