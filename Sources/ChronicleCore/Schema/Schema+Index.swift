extension Schema {
    /// The arguments of `#Index`, as SwiftData has them.
    public enum Index<Model: PersistentModel> {
        /// A kind of index, with the properties that it is of.
        public enum Types<P: PersistentModel> {
            case binary([PartialKeyPath<P>])
            /// Kept as a binary index.
            case rtree([PartialKeyPath<P>])
        }
    }
}
