public import Chronicle

extension StoreRule where Store: HistoryProviding {
    /// Rules about consumers, for stores that conform to `DataStoreConsuming`.
    public static var consumers: [StoreRule] {
        [
            consumersContinue, attempts, consumerPages, savesWithAcknowledgement, failedAcknowledgements, oneInstance,
            eviction, startingOver, renamedConsumers, reopenedConsumers,
        ]
        .map { $0.requiring("DataStoreConsuming", Store.self is any DataStoreConsuming.Type) }
    }

    static var consumersContinue: StoreRule {
        StoreRule("a consumer continues after its last acknowledgement") { harness in
            try harness.write("a", "b")
            let consumer = try harness.consumer("reader")
            try expect(harness.titlesOfNextBatch(consumer), is: ["a", "b"], "the changes of the first batch")
            try harness.write("c")
            consumer.release()
            let again = try harness.consumer("reader")
            try expect(harness.titlesOfNextBatch(again), is: ["c"], "the changes after an acknowledgement")
            try expect(again.nextBatch() == nil, "no batch when everything was acknowledged")
        }
    }

    static var attempts: StoreRule {
        StoreRule("a batch is delivered again until it is acknowledged") { harness in
            try harness.write("a")
            for attempt in 1...3 {
                let consumer = try harness.consumer("reader")
                let batch = try require(consumer.nextBatch(), "a batch that was not acknowledged")
                try expect(harness.titles(batch.changes), is: ["a"], "the changes of the batch")
                try expect(batch.attempt, is: attempt, "the number of attempts")
            }
        }
    }

    static var consumerPages: StoreRule {
        StoreRule("a consumer receives every change once in batches of any size") { harness in
            try harness.write("a", "b", "c", "d", "e", by: ["x", nil])
            try harness.context("x").add("f", "g", "h")
            for limit in [1, 2, 3, 100] {
                let all = try harness.consumer("all \(limit)")
                let titles = try harness.titlesOfAllBatches(all, limit: limit)
                try expect(titles, is: ["a", "b", "c", "d", "e", "f", "g", "h"], "the changes by \(limit)")
                let filter = HistoryFilter(authors: .only(["x"]))
                let signed = try harness.consumer("signed \(limit)", filter: filter)
                let found = try harness.titlesOfAllBatches(signed, limit: limit)
                try expect(found, is: ["a", "c", "e", "f", "g", "h"], "the changes of an author by \(limit)")
            }
            let context = harness.context("x")
            context.name = "named"
            try context.add("i")
            // A store need not record the names.
            guard try harness.history().last?.contextName == "named" else { return }
            for (number, names) in [HistoryFilter.ContextNames.only(["named"]), .except(["named"])].enumerated() {
                let consumer = try harness.consumer("context \(number)", filter: HistoryFilter(contextNames: names))
                let found = try harness.titlesOfAllBatches(consumer, limit: 2)
                let expected = number == 0 ? ["i"] : ["a", "b", "c", "d", "e", "f", "g", "h"]
                try expect(
                    found, is: expected, "the changes of \(number == 0 ? "a named context" : "the other contexts")")
            }
        }
    }

    static var savesWithAcknowledgement: StoreRule {
        StoreRule("a save and its acknowledgement commit together") { harness in
            try harness.write("a", by: ["writer"])
            let filter = HistoryFilter(authors: .except(["reader"]))
            let consumer = try harness.consumer("reader", filter: filter)
            let batch = try require(consumer.nextBatch(), "a batch")
            let context = harness.context("reader")
            context.insert(Book("work"))
            try context.save(acknowledging: batch)
            try expect(consumer.nextBatch() == nil, "no batch after a save that acknowledged it")
            context.insert(Book("repeated work"))
            try expect(.invalidHistoryAcknowledgement, of: "acknowledging a batch again with a save") {
                try context.save(acknowledging: batch)
            }
            try expect(harness.context().books().map(\.title), is: ["a", "work"], "the books")
        }
    }

    static var failedAcknowledgements: StoreRule {
        StoreRule("a failed save acknowledges nothing", needs: [.uniqueness]) { harness in
            let context = harness.context("reader")
            context.insert(Stamp("taken"))
            try context.save()
            let consumer = try harness.consumer("reader")
            let batch = try require(consumer.nextBatch(), "a batch")
            context.insert(Stamp("taken"))
            context.mergePolicy = .error
            try expect(.uniquenessViolation, of: "a save of a unique value that exists") {
                try context.save(acknowledging: batch)
            }
            let again = try require(consumer.nextBatch(), "the batch again after a save that failed")
            try expect(again.attempt, is: 2, "the number of attempts")
        }
    }

    static var oneInstance: StoreRule {
        StoreRule("one instance of a consumer reads at a time") { harness in
            try harness.write("a")
            let (first, second) = (try harness.consumer("reader"), try harness.consumer("reader"))
            let batch = try require(first.nextBatch(), "a batch")
            try expect(.historyConsumerInUse, of: "reading with a second instance") { try second.nextBatch() }
            first.release()
            let taken = try require(second.nextBatch(), "a batch for the second instance")
            try expect(.historyConsumerEvicted, of: "acknowledging with the first instance") {
                try first.acknowledge(batch)
            }
            try second.acknowledge(taken)
        }
    }

    static var eviction: StoreRule {
        StoreRule("a consumer that was reset rejects the batch that was delivered before") {
            harness in
            try harness.write("a")
            let consumer = try harness.consumer("reader")
            let batch = try require(consumer.nextBatch(), "a batch")
            try harness.container.resetHistoryConsumer(named: "reader", to: .beginning, of: Store.HistoryType.self)
            try expect(.historyConsumerEvicted, of: "acknowledging a batch from before a reset") {
                try consumer.acknowledge(batch)
            }
            try expect(harness.titlesOfNextBatch(consumer), is: ["a"], "the changes after a reset to the beginning")
        }
    }

    static var startingOver: StoreRule {
        StoreRule(
            "a consumer whose history was deleted receives every model", needs: [.deletingHistory]
        ) { harness in
            try harness.write("a")
            let consumer = try harness.consumer("reader")
            _ = try harness.titlesOfNextBatch(consumer)
            try harness.write("b", "c")
            try harness.context().deleteHistory(StoreHarness<Store>.Descriptor())
            let reset = try require(consumer.nextBatch(), "a reset")
            guard case .reset(.expired) = reset.content else {
                throw ConformanceFailure("a reset because of deleted history, found \(reset.content)")
            }
            try consumer.acknowledge(reset)
            // After the position from which reading continues.
            try harness.write("d")
            var found: [PersistentIdentifier] = []
            while let batch = try consumer.nextBatch(limit: 2), case .snapshot(let identifiers) = batch.content {
                found += identifiers
                try consumer.acknowledge(batch)
                consumer.release()
            }
            let books = try harness.context().books()
            try expect(Set(found), is: Set(books.map(\.persistentModelID)), "the identifiers of all books")
            try expect(found.count, is: books.count, "the number of identifiers")
            try expect(harness.titlesOfNextBatch(consumer), is: ["d"], "the changes since the reset")
        }
    }

    static var renamedConsumers: StoreRule {
        StoreRule("consumers are listed, renamed, and removed") { harness in
            let (container, type) = (harness.container, Store.HistoryType.self)
            try harness.write("a")
            _ = try harness.titlesOfNextBatch(harness.consumer("one"))
            _ = try harness.consumer("two")
            try expect(.duplicateHistoryConsumer, of: "renaming a consumer to a name that is taken") {
                try container.renameHistoryConsumer(named: "one", to: "two", of: type)
            }
            try container.renameHistoryConsumer(named: "one", to: "three", of: type)
            try container.removeHistoryConsumer(named: "two", of: type)
            try expect(container.historyConsumers(of: type).map(\.name), is: ["three"], "the consumers")
            try expect(.historyConsumerNotFound, of: "removing a consumer again") {
                try container.removeHistoryConsumer(named: "two", of: type)
            }
            let renamed = try harness.consumer("three")
            try expect(renamed.nextBatch() == nil, "a renamed consumer to keep its position")
        }
    }

    static var reopenedConsumers: StoreRule {
        StoreRule("a reopened store keeps its consumers", needs: [.reopening]) { harness in
            let configuration = try harness.newConfiguration()
            try harness.opening(configuration) { first in
                try first.write("a")
                try expect(first.titlesOfNextBatch(first.consumer("reader")), is: ["a"], "the changes of a batch")
                try first.write("b")
            }
            try harness.opening(configuration) { again in
                try expect(again.titlesOfNextBatch(again.consumer("reader")), is: ["b"], "the changes after reopening")
            }
        }
    }
}

extension StoreHarness where Store: HistoryProviding {
    typealias Consumer = HistoryConsumer<Store.HistoryType>

    /// Returns a consumer that starts at the beginning of the history.
    func consumer(_ name: String, filter: HistoryFilter = HistoryFilter()) throws -> Consumer {
        try container.historyConsumer(
            named: name, of: Store.HistoryType.self, filter: filter, startingNewAt: .beginning)
    }

    /// Acknowledges the batch.
    func titlesOfNextBatch(_ consumer: Consumer) throws -> [String] {
        let batch = try require(consumer.nextBatch(), "a batch")
        let titles = try titles(batch.changes)
        try consumer.acknowledge(batch)
        return titles
    }

    /// Acknowledges the batches.
    func titlesOfAllBatches(_ consumer: Consumer, limit: Int) throws -> [String] {
        var found: [String] = []
        // Limits the number of batches, in case a store returns the same page forever.
        for _ in 0..<100 {
            guard let batch = try consumer.nextBatch(limit: limit) else { break }
            found += try titles(batch.changes)
            try consumer.acknowledge(batch)
        }
        return found
    }
}
