// Pairs the relationships of model classes.
extension SchemaBuilder {
    /// As declared or, if there is exactly one candidate, by inference.
    func resolveInverses(_ entities: inout [String: EntityDeclaration]) throws {
        // To-one relationships first: if several lists name the same inverse, it determines which of them it belongs to.
        for (isToMany, entityName) in [false, true].flatMap({ isToMany in
            entities.keys.sorted().map { (isToMany, $0) }
        }) {
            for index in entities[entityName]!.properties.indices {
                let property = entities[entityName]!.properties[index]
                guard let wrapper = property.relationship, wrapper.isToMany == isToMany, let inverse = wrapper.inverse
                else { continue }
                func invalid(_ detail: String) -> SwiftDataError {
                    .invalidModel.with(detail: detail, entityName: entityName, propertyName: property.name)
                }
                let destination = wrapper.destinationType.entityName
                guard let other = entities[destination]!.properties.firstIndex(where: { $0.keyPath == inverse }) else {
                    throw invalid("its inverse is not a relationship of \(destination); correct inverse:")
                }
                let back = entities[destination]!.properties[other]
                guard back.relationship?.destinationType.entityName == entityName else {
                    throw invalid(
                        "its inverse \(destination).\(back.name) does not reference \(entityName); correct inverse:")
                }
                if let known = back.inverseName, known != property.name, property.inverseName == nil, isToMany,
                    entities[entityName]!.properties.first(where: { $0.name == known })?.relationship?.isToMany == true
                {
                    entities[entityName]!.properties[index].sharesInverse = true
                    continue
                }
                guard back.inverseName == nil || back.inverseName == property.name else {
                    throw invalid(
                        "its inverse \(destination).\(back.name) is also the inverse of \(back.inverseName!); "
                            + "correct inverse:")
                }
                guard property.inverseName == nil || property.inverseName == back.name else {
                    throw invalid(
                        "\(destination).\(property.inverseName!) already declares it as its inverse; correct inverse:")
                }
                entities[destination]!.properties[other].setInverse(property)
                entities[entityName]!.properties[index].setInverse(back)
            }
        }
        inferInverses(&entities)
        try findLinks(&entities)
    }

    /// Sets the inverses of relationships between two entities that have exactly one relationship to each other left.
    private func inferInverses(_ entities: inout [String: EntityDeclaration]) {
        func unresolved(_ source: String, to destination: String) -> [Int] {
            entities[source]!.properties.indices.filter { index in
                let property = entities[source]!.properties[index]
                return property.inverseName == nil && !property.sharesInverse
                    && property.relationship?.destinationType.entityName == destination
            }
        }
        for source in entities.keys.sorted() {
            for destination in entities.keys.sorted() where destination != source {
                let forward = unresolved(source, to: destination)
                let backward = unresolved(destination, to: source)
                guard forward.count == 1, backward.count == 1 else { continue }
                entities[source]!.properties[forward[0]].setInverse(entities[destination]!.properties[backward[0]])
                entities[destination]!.properties[backward[0]].setInverse(entities[source]!.properties[forward[0]])
            }
        }
    }

    /// Finds the to-many relationships that are stored as links, because no column of the destination represents them.
    private func findLinks(_ entities: inout [String: EntityDeclaration]) throws {
        for entityName in entities.keys.sorted() {
            for index in entities[entityName]!.properties.indices {
                let property = entities[entityName]!.properties[index]
                guard let wrapper = property.relationship, wrapper.isToMany else { continue }
                let destination = entities[wrapper.destinationType.entityName]!
                guard let inverseName = property.inverseName else {
                    try checkAmbiguity(of: property, in: entityName, destination)
                    entities[entityName]!.properties[index].isLinked = true
                    continue
                }
                let back = destination.properties.first { $0.name == inverseName }!
                entities[entityName]!.properties[index].isLinked = back.relationship?.isToMany == true
            }
        }
    }

    /// The stored form of a to-many relationship depends on the inverse.
    private func checkAmbiguity(
        of property: Declaration, in entityName: String, _ destination: EntityDeclaration
    ) throws {
        guard destination.type.entityName != entityName, !property.sharesInverse,
            let back = destination.properties.first(where: {
                $0.inverseName == nil && !$0.sharesInverse
                    && $0.relationship?.destinationType.entityName == entityName
            })
        else { return }
        throw SwiftDataError.invalidModel.with(
            detail:
                "\(destination.type.entityName).\(back.name) may be its inverse, but there is more than one pair of "
                + "relationships; declare the inverse of one of them with inverse:",
            entityName: entityName, propertyName: property.name)
    }
}
