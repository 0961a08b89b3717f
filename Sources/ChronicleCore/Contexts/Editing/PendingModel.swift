/// A to-many relationship that was changed in place.
struct UnverifiedList {
    let model: any PersistentModel
    let property: Schema.Property
    let list: ToManyList
}

/// A model with unsaved changes.
struct PendingModel {
    let model: any PersistentModel
    /// The backing data of the model, stored to avoid a call through the protocol. The model owns it.
    let unmanagedBacking: Unmanaged<AnyBackingData>

    init(model: any PersistentModel, backing: AnyBackingData) {
        self.model = model
        unmanagedBacking = .passUnretained(backing)
    }

    var backing: AnyBackingData { unmanagedBacking.takeUnretainedValue() }
}

/// A set of models in insertion order.
struct ModelSet {
    private(set) var models: [any PersistentModel] = []
    private var members: Set<ObjectIdentifier> = []

    mutating func insert(_ model: any PersistentModel) {
        if members.insert(ObjectIdentifier(model)).inserted { models.append(model) }
    }
}
