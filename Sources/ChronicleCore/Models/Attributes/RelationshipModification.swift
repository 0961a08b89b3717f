/// The value of a relationship while the program changes it in place.
@usableFromInline
struct RelationshipModification<Value> {
    let property: Schema.Property
    /// The list whose array is being changed, or `nil` if ``value`` is a copy to assign when the change ends.
    let list: ToManyList?
    @usableFromInline var value: Value
}
