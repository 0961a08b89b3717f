package import Chronicle

/// Owns slips, which a delete deletes.
@Model package final class Tray {
    package var name: String
    @Relationship(deleteRule: .cascade, inverse: \Slip.tray) package var slips: [Slip] = []
    package init(_ name: String) { self.name = name }
}

/// Has a place in a tray that no other slip has.
@Model package final class Slip {
    #Unique<Slip>([\.tray, \.position])
    package var tray: Tray
    package var position: Int

    package init(_ tray: Tray, _ position: Int) {
        self.tray = tray
        self.position = position
    }
}

extension Tray {
    /// Saves moves of slips to the places of others, together with the delete of the tray that they leave.
    ///
    /// - Returns: After each save, the places of all slips and the number of updates in the history.
    package static func moveSlips(_ container: ModelContainer) throws -> [String] {
        let context = ModelContext(container)
        let trays = (0..<3).map { Tray("\($0)") }
        let slips = trays.map { Slip($0, 1) }
        for model in trays + slips as [any PersistentModel] { context.insert(model) }
        try context.save()
        var results: [String] = []
        func save() throws {
            try context.save()
            let reader = ModelContext(container)
            let places = try reader.fetch(FetchDescriptor<Slip>()).map { "\($0.tray.name):\($0.position)" }
            let changes = try reader.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes ?? []
            let updates = changes.count { if case .update = $0 { true } else { false } }
            results.append("\(places.sorted().joined(separator: " ")), \(updates) updates")
        }
        (slips[0].tray, slips[1].position) = (trays[1], 2)
        context.delete(trays[0])
        try save()
        // A chain: the place of each is that of the next one.
        (slips[0].tray, slips[0].position) = (trays[2], 1)
        (slips[1].tray, slips[1].position, slips[2].position) = (trays[2], 2, 3)
        context.delete(trays[1])
        try save()
        return results
    }
}
