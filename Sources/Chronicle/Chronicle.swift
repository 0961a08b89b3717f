@_exported public import ChronicleCore
@_exported public import ChronicleStore
