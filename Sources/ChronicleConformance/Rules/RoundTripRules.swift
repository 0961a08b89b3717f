import Chronicle

extension StoreRule {
    /// Rules about values: fetched values equal the saved values, bit for bit.
    public static var roundTrips: [StoreRule] { [everyTypeIsSaved, everyTypeIsChanged] }

    static var everyTypeIsSaved: StoreRule {
        StoreRule("values of every type are stored bit for bit") { harness in
            let context = harness.context()
            let samples = Specimen.samples(harness.features)
            for sample in samples { context.insert(sample) }
            try context.save()
            let reader = harness.context()
            for sample in samples {
                let found = try reader.existingModel(for: sample.persistentModelID) as? Specimen
                try expectSame(try require(found, "a Specimen with the saved identifier"), sample)
            }
        }
    }

    static var everyTypeIsChanged: StoreRule {
        StoreRule("changed values of every type are stored bit for bit", needs: .updates) { harness in
            let context = harness.context()
            let specimen = Specimen()
            context.insert(specimen)
            try context.save()
            for sample in Specimen.samples(harness.features) {
                specimen.copy(sample)
                try context.save()
                let found = try harness.context().existingModel(for: specimen.persistentModelID) as? Specimen
                try expectSame(try require(found, "a Specimen with the saved identifier"), sample)
            }
        }
    }

    private static func expectSame(_ found: Specimen, _ saved: Specimen) throws {
        for (found, saved) in zip(found.values, saved.values) {
            try expect(found.value, is: saved.value, "Specimen.\(saved.name)")
        }
    }
}
