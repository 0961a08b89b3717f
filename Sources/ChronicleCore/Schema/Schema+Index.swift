extension Schema {
    /// The namespace for the arguments of the `#Index` macro.
    public enum Index<Model: PersistentModel> {
        /// A kind of index and its properties.
        public enum Types<P: PersistentModel> {
            /// A B-tree index of the properties, in this order.
            case binary([PartialKeyPath<P>])
            /// An R-tree index in SwiftData. Chronicle creates a B-tree index instead.
            case rtree([PartialKeyPath<P>])
        }
    }
}
