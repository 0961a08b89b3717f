/// The value of a relationship while the program changes it in place.
@usableFromInline
struct RelationshipChange<Value> {
    let property: Schema.Property
    /// The list whose array is being changed.
    let list: ToManyList?
    @usableFromInline var value: Value
}
