#if Seals
    import Chronicle
    import ChronicleSeals

    /// Seals the history, and delivers its heads to a git repository.
    struct HeadDelivery {
        let container: ModelContainer
        let repository: HeadRepository

        /// Seals the history, delivers the heads that the repository does not have, and returns their number.
        func deliver() throws -> Int {
            _ = try container.sealHistory()
            let delivered = try repository.heads().last
            var heads: [HistorySeal]
            do { heads = try container.historySeals(after: delivered) } catch let error as SwiftDataError
                where error == .historyTokenExpired
            {
                // A purge deleted the seal of the head. Other errors mean that the history is not the one that was delivered.
                heads = try container.historySeals()
            }
            try repository.append(heads)
            return heads.count
        }

        /// Delivers after each commit of any process, until the task is cancelled.
        ///
        /// The repository is the position: after a kill at any moment, the next call delivers what is missing, and nothing twice.
        /// The consumer signals new commits.
        func follow(_ report: @Sendable (Int) -> Void) async throws {
            let consumer = try container.historyConsumer(named: "heads", startingNewAt: .now)
            report(try deliver())
            for try await batch in consumer.batches() {
                report(try deliver())
                try consumer.acknowledge(batch)
            }
        }
    }
#endif
