import Foundation
import SwiftData

func persistentModel<Model: PersistentModel>(_ model: Model, of type: Model.Type) {  //= PersistentModel
    use(Model(backingData: model.persistentBackingData))  //= PersistentModel.init(backingData:)
    use(model.persistentModelID)  //= PersistentModel.persistentModelID
    use(model.modelContext)  //= PersistentModel.modelContext
    use(model.hasChanges)  //= PersistentModel.hasChanges
    use(model.isDeleted)  //= PersistentModel.isDeleted
    use(model.persistentBackingData)  //= PersistentModel.persistentBackingData
    let metadata: [Schema.PropertyMetadata] = Model.schemaMetadata  //= PersistentModel.schemaMetadata
    use(metadata)
    use(Model.createBackingData())  //= PersistentModel.createBackingData()
    use(model == model)  //= PersistentModel.==(_:_:)
    var hasher = Hasher()
    model.hash(into: &hasher)  //= PersistentModel.hash(into:)
}

func values(of trip: Trip, item: Item) {
    use(trip.getValue(forKey: \.name))  //= PersistentModel.getValue(forKey:) (attribute)
    use(trip.getValue(forKey: \.note))  //= PersistentModel.getValue(forKey:) (optional attribute)
    use(trip.getValue(forKey: \.place))  //= PersistentModel.getValue(forKey:) (Codable attribute)
    use(trip.getValue(forKey: \.guide))  //= PersistentModel.getValue(forKey:) (to-one relationship)
    use(trip.getValue(forKey: \.items))  //= PersistentModel.getValue(forKey:) (to-many relationship)
    trip.setValue(forKey: \.name, to: "Rome")  //= PersistentModel.setValue(forKey:to:) (attribute)
    trip.setValue(forKey: \.note, to: nil)  //= PersistentModel.setValue(forKey:to:) (optional attribute)
    trip.setValue(forKey: \.place, to: Place(city: ""))  //= PersistentModel.setValue(forKey:to:) (Codable attribute)
    trip.setValue(forKey: \.guide, to: nil)  //= PersistentModel.setValue(forKey:to:) (to-one relationship)
    trip.setValue(forKey: \.items, to: [item])  //= PersistentModel.setValue(forKey:to:) (to-many relationship)
}

func backingData(_ data: any BackingData<Trip>, item: Item) {  //= BackingData
    use(data.persistentModelID)  //= BackingData.persistentModelID
    use(data.getValue(forKey: \.name))  //= BackingData.getValue(forKey:) (attribute)
    use(data.getValue(forKey: \.note))  //= BackingData.getValue(forKey:) (optional attribute)
    use(data.getValue(forKey: \.place))  //= BackingData.getValue(forKey:) (Codable attribute)
    use(data.getValue(forKey: \.guide))  //= BackingData.getValue(forKey:) (to-one relationship)
    use(data.getValue(forKey: \.items))  //= BackingData.getValue(forKey:) (to-many relationship)
    data.setValue(forKey: \.name, to: "Rome")  //= BackingData.setValue(forKey:to:) (attribute)
    data.setValue(forKey: \.note, to: nil)  //= BackingData.setValue(forKey:to:) (optional attribute)
    data.setValue(forKey: \.place, to: Place(city: ""))  //= BackingData.setValue(forKey:to:) (Codable attribute)
    data.setValue(forKey: \.guide, to: nil)  //= BackingData.setValue(forKey:to:) (to-one relationship)
    data.setValue(forKey: \.items, to: [item])  //= BackingData.setValue(forKey:to:) (to-many relationship)
}

func associatedType<Data: BackingData>(of data: Data) {
    use(Data.Model.self)  //= BackingData.Model
}

func relationshipCollection<List: RelationshipCollection>(_ list: List) {}  //= RelationshipCollection

func persistentIdentifier(_ identifier: PersistentIdentifier) throws {  //= PersistentIdentifier
    let id: PersistentIdentifier.ID = identifier.id  //= PersistentIdentifier.ID
    use(id)
    use(identifier.id)  //= PersistentIdentifier.id
    use(identifier.storeIdentifier)  //= PersistentIdentifier.storeIdentifier
    use(identifier.entityName)  //= PersistentIdentifier.entityName
    use(identifier.isTemporary)  //= PersistentIdentifier.isTemporary
    //= PersistentIdentifier.identifier(for:entityName:primaryKey:)
    use(try PersistentIdentifier.identifier(for: "store", entityName: "Trip", primaryKey: UUID()))
    use(identifier < identifier)  //= PersistentIdentifier.<(_:_:)
    use(identifier == identifier)  //= PersistentIdentifier.==(_:_:)
    var hasher = Hasher()
    identifier.hash(into: &hasher)  //= PersistentIdentifier.hash(into:)
}

func coding(_ identifier: PersistentIdentifier, _ encoder: any Encoder, _ decoder: any Decoder) throws {
    try identifier.encode(to: encoder)  //= PersistentIdentifier.encode(to:)
    use(try PersistentIdentifier(from: decoder))  //= PersistentIdentifier.init(from:)
}
