package import Chronicle

/// Random assignments of one-to-one relationships in several contexts, which do not know the changes of each other.
package struct RandomPairs {
    private var writers: [Writer]
    private let makeContext: () -> ModelContext
    private var number = 0

    /// A context, and the models that it has fetched.
    private struct Writer {
        let context: ModelContext
        var residents: [Resident] = []
        var lockers: [Locker] = []
        var badges: [Badge] = []

        mutating func fetch() throws {
            residents = try context.fetch(FetchDescriptor<Resident>())
            lockers = try context.fetch(FetchDescriptor<Locker>())
            badges = try context.fetch(FetchDescriptor<Badge>())
        }
    }

    /// - Parameter containers: Containers of the same store. Each of them gets two contexts.
    package init(_ containers: [ModelContainer]) throws {
        writers = (containers + containers).map { Writer(context: ModelContext($0)) }
        makeContext = { ModelContext(containers[0]) }
        let context = makeContext()
        for number in 0..<4 {
            context.insert(Resident("r\(number)"))
            context.insert(Warden("w\(number)"))
            context.insert(Locker(number))
            context.insert(Badge(number))
        }
        try context.save()
        for index in writers.indices { try writers[index].fetch() }
    }

    /// Edits some models in a context, and usually saves it.
    ///
    /// - Returns: What was done, or the kind of the error.
    package mutating func step(_ random: inout SplitMix) throws -> String {
        let index = random.below(writers.count)
        do {
            if random.below(4) == 0 { try writers[index].fetch() }
            for _ in 0...random.below(4) {
                number += 1
                try Self.edit(&writers[index], number, &random)
            }
            guard random.below(4) > 0 else { return "not saved" }
            try writers[index].context.save()
            return "saved"
        } catch let error as SwiftDataError {
            writers[index].context.rollback()
            try writers[index].fetch()
            return String("\(error)".prefix { $0 != " " })
        }
    }

    private static func edit(_ writer: inout Writer, _ number: Int, _ random: inout SplitMix) throws {
        let residents = writer.residents.filter { $0.modelContext != nil && !$0.isDeleted }
        let wardens = residents.compactMap { $0 as? Warden }
        let lockers = writer.lockers.filter { $0.modelContext != nil && !$0.isDeleted }
        let badges = writer.badges.filter { $0.modelContext != nil && !$0.isDeleted }
        func any<Model>(_ models: [Model]) -> Model? {
            models.isEmpty || random.below(5) == 0 ? nil : random.pick(models)
        }
        let resident = any(residents)
        switch random.below(13) {
        case 0, 1: resident?.locker = any(lockers)
        case 2, 3: any(lockers)?.holder = resident
        case 4: any(wardens)?.badge = any(badges)
        case 5: any(badges)?.warden = any(wardens)
        case 6, 7: resident?.successor = any(residents)
        case 8: resident?.predecessor = any(residents)
        case 9: resident?.name = "\(number)"
        case 10:
            if let resident, let permit = resident.permit, let other = any(residents) {
                if random.below(2) == 0 { permit.resident = other } else { other.permit = permit }
            } else if let resident {
                writer.context.insert(Permit(number, of: resident))
            }
        case 11:
            let new = random.below(2) == 0 ? Resident("\(number)") : Warden("\(number)")
            writer.context.insert(new)
            new.locker = any(lockers)
            new.successor = resident
            writer.residents.append(new)
        default:
            let locker = Locker(number)
            writer.context.insert(locker)
            locker.holder = resident
            writer.lockers.append(locker)
            if let resident, residents.count > 6, random.below(3) == 0 { writer.context.delete(resident) }
        }
    }

    /// Returns a description of each model whose destination does not reference it.
    package func disagreements() throws -> [String] {
        let context = makeContext()
        var found: [String] = []
        func check<Model: PersistentModel, Other: PersistentModel>(
            _ name: String, _ model: Model, _ other: Other?, _ inverse: (Other) -> Model?
        ) {
            if let other, inverse(other) !== model { found.append("\(model.persistentModelID).\(name)") }
        }
        for resident in try context.fetch(FetchDescriptor<Resident>()) {
            check("successor", resident, resident.successor, \.predecessor)
            check("predecessor", resident, resident.predecessor, \.successor)
            check("locker", resident, resident.locker, \.holder)
            check("permit", resident, resident.permit, \.resident)
            if let warden = resident as? Warden { check("badge", warden, warden.badge, \.warden) }
        }
        for locker in try context.fetch(FetchDescriptor<Locker>()) { check("holder", locker, locker.holder, \.locker) }
        for badge in try context.fetch(FetchDescriptor<Badge>()) { check("warden", badge, badge.warden, \.badge) }
        for permit in try context.fetch(FetchDescriptor<Permit>()) {
            check("resident", permit, permit.resident, \.permit)
        }
        return found
    }
}
