/// A ring buffer of the models that relationships loaded most recently.
struct RecentModels {
    private static let capacity = 1024
    private var models: [any PersistentModel] = []
    private var next = 0
    /// The models of the last prefetch, kept until ``capacity`` other models were loaded.
    private var batch: [any PersistentModel] = []
    private var batchAge = 0

    mutating func keep(_ model: any PersistentModel) {
        if models.count < Self.capacity {
            models.append(model)
        } else {
            models[next] = model
            next = (next + 1) % Self.capacity
        }
        batchAge += 1
        if batchAge == Self.capacity { batch = [] }
    }

    mutating func keep(_ models: [any PersistentModel]) { (batch, batchAge) = (models, 0) }
}
