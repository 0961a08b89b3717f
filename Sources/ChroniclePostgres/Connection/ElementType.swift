#if Postgres
    import ChronicleCPostgres

    /// The types of parameters, with numbers that every version of the server has in its catalog.
    /// <https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat>
    enum ElementType: Oid {
        case bytea = 17
        case int8 = 20
        case int2 = 21
        case text = 25
        case float8 = 701
        case uuid = 2950
        case xid8 = 5069

        var array: Oid {
            switch self {
            case .bytea: 1001
            case .int8: 1016
            case .int2: 1005
            case .text: 1009
            case .float8: 1022
            case .uuid: 2951
            case .xid8: 271
            }
        }
    }
#endif
