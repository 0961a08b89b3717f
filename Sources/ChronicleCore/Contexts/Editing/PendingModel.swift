/// A to-many relationship that was changed in place.
struct UnverifiedList {
    let model: any PersistentModel
    let property: Schema.Property
    let list: ToManyList
}

/// An entry of the context's list of models with unsaved changes.
struct PendingModel {
    let model: any PersistentModel
    private let number: UInt32
    /// Stored to avoid a call through the protocol. The model owns the backing data.
    let unmanagedBacking: Unmanaged<AnyBackingData>

    init(model: any PersistentModel, backing: AnyBackingData) {
        self.model = model
        unmanagedBacking = .passUnretained(backing)
        number = backing.pendingNumber
    }

    /// Whether the model has not left the list since. It may have a later entry.
    var isCurrent: Bool { backing.pendingNumber == number }

    var backing: AnyBackingData { unmanagedBacking.takeUnretainedValue() }
}

struct ModelSet {
    private(set) var models: [any PersistentModel] = []
    private var members: Set<ObjectIdentifier> = []

    mutating func insert(_ model: any PersistentModel) {
        if members.insert(ObjectIdentifier(model)).inserted { models.append(model) }
    }
}
