/// One operation of a sequence.
///
/// A step names contexts and models by numbers that do not change if other steps are removed: the number of a model is
/// that of the step that created it. A step whose models do not exist has no effect.
package enum Step: Hashable, Sendable {
    case insert(Int, Entity, Int, [String: Value])
    /// A new model and the models that it references, with one call.
    case insertGraph(Int, Int, items: [Int], notes: [Int])
    case load(Int, Int)
    case set(Int, Int, String, Value)
    case setReference(Int, Int, Reference, Int?)
    case setList(Int, Int, String, [Int])
    case append(Int, Int, String, Int)
    case remove(Int, Int, String, Int)
    case delete(Int, Int)
    case reinsert(Int, Int)
    case save(Int)
    case rollBack(Int)
    case fetch(Int, Query, FetchForm)
    case merge(Int, MergeForm)
    case batchDelete(Int, Query)
    case batchUpdate(Int, Query, Int)
    /// Reverts all commits after the one with this number.
    case revert(Int, Int)
    case undo(Int)
    case redo(Int)
    /// Inserts an item into a folder without registering it.
    case batchInsert(Int, Int, folder: Int?)
    /// Saves with an acknowledgement of the changes that a consumer reads.
    case consume(Int)
    /// Lets the main actor save and merge automatically.
    case turn
    case check(Int)
    /// The test no longer references a model.
    case release(Int, Int)
    /// Replaces the context by a new one.
    case renew(Int)
    /// Sets whether a save resolves conflicts or throws an error.
    case mergePolicy(Int, isError: Bool)
    /// Releases the context, but not its models.
    case reconnect(Int)
    case foreignUpdate(Int, String, Value)
    case foreignDelete(Int)

    /// The name of the operation.
    var name: String { Mirror(reflecting: self).children.first?.label ?? "" }

    /// The context of the step.
    var context: Int? {
        switch self {
        case .insert(let context, _, _, _), .insertGraph(let context, _, _, _), .load(let context, _),
            .set(let context, _, _, _), .setReference(let context, _, _, _), .setList(let context, _, _, _),
            .append(let context, _, _, _), .remove(let context, _, _, _), .delete(let context, _),
            .reinsert(let context, _), .save(let context), .rollBack(let context), .fetch(let context, _, _),
            .merge(let context, _), .batchDelete(let context, _), .batchUpdate(let context, _, _),
            .revert(let context, _), .undo(let context), .redo(let context), .batchInsert(let context, _, _),
            .consume(let context), .check(let context), .release(let context, _), .renew(let context),
            .reconnect(let context),
            .mergePolicy(let context, _):
            context
        case .turn: 0
        case .foreignUpdate, .foreignDelete: nil
        }
    }
}

package enum FetchForm: String, CaseIterable, Sendable {
    case models, count, identifiers, batches, enumerate, prefetch, sorted, destination, page, sections, stored
}

package enum MergeForm: String, CaseIterable, Sendable { case transactions, all }

extension Value: CustomStringConvertible {
    package var description: String {
        switch self {
        case .null: "nil"
        case .int(let int): "\(int)"
        case .text(let text): "\"\(text)\""
        case .model(let model): "m\(model)"
        }
    }
}

extension Step: CustomStringConvertible {
    package var description: String {
        func names(_ models: [Int]) -> String { "[" + models.map { "m\($0)" }.joined(separator: ", ") + "]" }
        return switch self {
        case .insert(let context, let entity, let model, let values):
            "c\(context).insert(m\(model))  // new \(entity) "
                + values.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", ")
        case .insertGraph(let context, let model, let items, let notes):
            "c\(context).insert(m\(model))  // new folder with new items \(names(items)), the first of them with new notes "
                + names(notes)
        case .load(let context, let model): "c\(context).existingModel(for: m\(model))"
        case .set(let context, let model, let name, let value): "c\(context): m\(model).\(name) = \(value)"
        case .setReference(let context, let model, let reference, let destination):
            "c\(context): m\(model).\(reference.name) = \(destination.map { "m\($0)" } ?? "nil")"
        case .setList(let context, let model, let name, let members):
            "c\(context): m\(model).\(name) = \(names(members))"
        case .append(let context, let model, let name, let member):
            "c\(context): m\(model).\(name).append(m\(member))"
        case .remove(let context, let model, let name, let member):
            "c\(context): m\(model).\(name).removeAll { $0 === m\(member) }"
        case .delete(let context, let model): "c\(context).delete(m\(model))"
        case .reinsert(let context, let model): "c\(context).insert(m\(model))"
        case .save(let context): "c\(context).save()"
        case .rollBack(let context): "c\(context).rollback()"
        case .fetch(let context, let query, let form): "c\(context).fetch(\(query)), \(form.rawValue)"
        case .merge(let context, .transactions): "c\(context).merge(transactions)"
        case .merge(let context, .all): "c\(context).refreshAllModels()"
        case .batchDelete(let context, let query): "c\(context).delete(model: \(query))"
        case .batchUpdate(let context, let query, let rank): "c\(context).update(model: \(query), set rank = \(rank))"
        case .revert(let context, let commit): "c\(context).revert(everything after commit \(commit))"
        case .undo(let context): "c\(context).undoHistory.undo()"
        case .redo(let context): "c\(context).undoHistory.redo()"
        case .batchInsert(let context, let model, let folder):
            "c\(context).insert(model:from:)  // new item m\(model), folder: \(folder.map { "m\($0)" } ?? "nil")"
        case .consume(let context): "c\(context).save(acknowledging: consumer.nextBatch())"
        case .turn: "await (the main context saves and merges)"
        case .check(let context): "c\(context): read all models"
        case .release(let context, let model): "c\(context): release m\(model)"
        case .renew(let context): "c\(context) = ModelContext(container)"
        case .mergePolicy(let context, let isError):
            "c\(context).mergePolicy = \(isError ? ".error" : ".mergeByPropertyObjectTrump")"
        case .reconnect(let context): "c\(context) = nil; c\(context) = model.modelContext"
        case .foreignUpdate(let model, let name, let value): "SQL: UPDATE m\(model) SET \(name) = \(value)"
        case .foreignDelete(let model): "SQL: DELETE m\(model)"
        }
    }
}
