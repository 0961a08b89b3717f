import Chronicle
import Foundation

// Fetches in all forms, compared with an evaluation of the reference.
extension Simulation {
    func fetch(_ context: ContextReference, _ query: Query, _ form: FetchForm) throws {
        if query.crossesRelationship || form == .destination {
            // It is not known whether the context has noticed that a row with unsaved changes is gone, or exists again.
            guard context.instances.allSatisfy({ hasKnownState($0, $1, in: context) }) else {
                try requireCurrent(context)
                return
            }
        }
        try fetch(query.entity.type, context, query, form)
    }

    private func hasKnownState(_ number: Int, _ instance: Instance, in context: ContextReference) -> Bool {
        let exists = world.rows[number] != nil
        return switch instance.state {
        case .new, .deleted: true
        case .saved: exists || instance.edits.isEmpty && !context.linked.contains(number)
        case .restored: !exists
        case .missing: false
        }
    }

    func fetch<Model: TestModel>(
        _: Model.Type, _ context: ContextReference, _ query: Query, _ form: FetchForm
    ) throws {
        var descriptor = FetchDescriptor<Model>(predicate: Model.predicate(query))
        let (raw, visible): (World, World)
        if form == .stored {
            descriptor.includePendingChanges = false
            (raw, visible) = (world, world)
        } else {
            (raw, visible) = (context.view(world, hidesDeleted: false), context.view(world))
        }
        let all = raw.rows.keys.filter { raw.rows[$0]?.entity == Model.entity }
        var (required, allowed): (Set<Int>, Set<Int>) = ([], [])
        for number in all {
            let matches = [query.matches(number, in: raw), query.matches(number, in: visible)]
            // It is not known which version of a missing row was read last.
            let isUncertain =
                world.rows[number] == nil && form != .stored
                && context.instances[number].map { $0.state != .new && context.candidates(number, world).count > 1 }
                    ?? false
            let isDeleted = form == .stored && context.instances[number]?.state == .deleted
            if matches.allSatisfy({ $0 }), !isUncertain, !isDeleted { required.insert(number) }
            if matches.contains(true) || isUncertain { allowed.insert(number) }
        }
        func compare(_ found: [Int]) throws {
            let members = Set(found)
            guard members.count == found.count else { throw Difference("fetched a model twice: \(names(found))") }
            guard required.isSubset(of: members), members.isSubset(of: allowed) else {
                throw Difference("fetched \(names(found)) instead of \(names(required))")
            }
        }
        let wasCurrent = context.isCurrent
        func finish(_ models: [Model]) throws -> [Int] {
            let numbers = try models.map { model in
                let number = try number(of: model, in: context)
                if world.rows[number] != nil { context.readRow(number, world) }
                try adopt(model, number, in: context)
                return number
            }
            if !wasCurrent, [.models, .stored, .sorted, .page].contains(form) {
                for number in numbers.prefix(2) where world.rows[number] != nil {
                    guard let (instance, model) = held(context, number), instance.state == .saved else { continue }
                    for list in Model.entity.lists {
                        try checkList(list, of: instance, model, in: context, isRead: true)
                    }
                }
            }
            return numbers
        }
        do {
            switch form {
            case .models, .stored: try compare(finish(context.context.fetch(descriptor)))
            case .count:
                let count = try context.context.fetchCount(descriptor)
                guard count >= required.count, count <= allowed.count else {
                    throw Difference("counted \(count) instead of \(required.count) models")
                }
            case .identifiers:
                let identifiers = try context.context.fetchIdentifiers(descriptor)
                try compare(
                    try identifiers.map { identifier in
                        if let number = numbers[identifier] { return number }
                        let new = context.instances.first {
                            $1.state == .new && $1.object?.persistentModelID == identifier
                        }
                        guard let new else { throw Difference("fetched the unknown identifier \(identifier)") }
                        return new.key
                    })
            case .batches:
                let results: FetchResultsCollection<Model> = try context.context.fetch(descriptor, batchSize: 2)
                try compare(finish(Array(results)))
            case .enumerate:
                var models: [Model] = []
                try context.context.enumerate(descriptor, batchSize: 2, allowEscapingMutations: true) {
                    models.append($0)
                }
                try compare(finish(models))
            case .prefetch:
                descriptor.relationshipKeyPathsForPrefetching = Model.members.compactMap(\.relationship)
                try compare(finish(context.context.fetch(descriptor)))
            case .sections:
                let observer = try ResultsObserver<Model, String>(
                    fetchDescriptor: descriptor, sectionBy: Model.namePath, modelContext: context.context,
                    isolation: nil)
                try compare(finish(Array(observer.results)))
                guard let sections = observer.sections else { throw Difference("there are no sections") }
                let name = Model.entity == .tag ? "code" : "name"
                for section in sections {
                    for model in section {
                        let number = try number(of: model, in: context)
                        // It is not known which version of a missing row was read last.
                        let rows =
                            [visible.rows[number]]
                            + (world.rows[number] == nil ? context.candidates(number, world) : [])
                        let edit = context.instances[number]?.edits[name]
                        guard
                            rows.contains(where: {
                                ($0.map { edit ?? $0[name] }) ?? .text(section.title) == .text(section.title)
                            })
                        else {
                            throw Difference("m\(number) is in the section \(section.title)")
                        }
                    }
                }
                guard Set(sections.sectionTitles).count == sections.count,
                    sections.map(\.count).reduce(0, +) == observer.results.count
                else { throw Difference("the sections differ from the results") }
            case .destination:
                guard let (reference, path) = Model.destination else { return }
                descriptor.sortBy = [SortDescriptor(path), SortDescriptor(Model.keyPath)]
                func title(_ number: Int, in view: World) -> String {
                    view.rows[number]?[reference].model.flatMap { view.rows[$0] }?["name"].text.map { "=\($0)" } ?? ""
                }
                let expected = allowed.sorted { a, b in
                    (title(a, in: visible), visible.rows[a]!["key"].text!)
                        < (title(b, in: visible), visible.rows[b]!["key"].text!)
                }
                let found = try finish(context.context.fetch(descriptor))
                let isCertain = allowed.allSatisfy { title($0, in: raw) == title($0, in: visible) }
                if required == allowed, isCertain, found != expected {
                    throw Difference("fetched \(found.map { "m\($0)" }) instead of \(expected.map { "m\($0)" })")
                }
            case .sorted, .page:
                descriptor.sortBy = [SortDescriptor(Model.namePath), SortDescriptor(Model.keyPath)]
                var expected = allowed.sorted { a, b in
                    let (a, b) = (visible.rows[a]!, visible.rows[b]!)
                    let name = Model.entity == .tag ? "code" : "name"
                    return (a[name].text!, a["key"].text!) < (b[name].text!, b["key"].text!)
                }
                if form == .page {
                    (descriptor.fetchOffset, descriptor.fetchLimit) = (1, 2)
                    expected = Array(expected.dropFirst().prefix(2))
                }
                let found = try finish(context.context.fetch(descriptor))
                if required == allowed, found != expected {
                    throw Difference("fetched \(found.map { "m\($0)" }) instead of \(expected.map { "m\($0)" })")
                }
            }
        } catch let error as SwiftDataError { throw Difference("the fetch threw \(error)") }
    }
}
